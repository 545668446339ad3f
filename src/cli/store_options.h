#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/store_config.h"
#include "cli/embedded.h"
#include "core/result.h"

namespace cqlperf::cli {

// Adds the flags of `cqlperf store`, and of cassandra_store_stress, to `command`; parsing then
// fills `config` and `embedded`, which must live as long as `command`.
void add_store_options(CLI::App& command, bench::StoreConfig& config, EmbeddedOptions& embedded);

// The end of the help text of `cqlperf store`, and of cassandra_store_stress.
extern const char* const kStoreFooter;
extern const char* const kStoreStressFooter;

// Checks what no flag can check alone, when `command` was parsed. Nothing is opened.
core::Status validate_store(const CLI::App& command, const bench::StoreConfig& config,
                            const EmbeddedOptions& embedded);

// Every setting, as a result file holds it, without the password.
nlohmann::ordered_json store_config_json(const bench::StoreConfig& config);

}  // namespace cqlperf::cli
