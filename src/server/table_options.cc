#include "server/table_options.h"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/check.h"
#include "server/ddl_properties.h"

namespace cqlperf::server {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({"additional_write_policy",
                                                         "allow_auto_snapshot",
                                                         "bloom_filter_fp_chance",
                                                         "caching",
                                                         "cdc",
                                                         "comment",
                                                         "compaction",
                                                         "compression",
                                                         "crc_check_chance",
                                                         "default_time_to_live",
                                                         "extensions",
                                                         "gc_grace_seconds",
                                                         "id",
                                                         "incremental_backups",
                                                         "max_index_interval",
                                                         "memtable",
                                                         "memtable_flush_period_in_ms",
                                                         "min_index_interval",
                                                         "read_repair",
                                                         "speculative_retry"});

// The smallest false positive chance that a Bloom filter of Cassandra can have.
constexpr double kBloomFilterChanceMin = 6.71e-5;

using Error = std::unexpected<protocol::ErrorMessage>;

cql::Status apply_integer(const Properties& with, std::string_view name, TableOptions& options) {
  auto value = with.integer(name);
  if (!value) return Error(std::move(value.error()));
  if (*value) options.scalars[std::string(name)] = fmt::to_string(**value);
  return {};
}

cql::Status apply_number(const Properties& with, std::string_view name, TableOptions& options) {
  auto value = with.number(name);
  if (!value) return Error(std::move(value.error()));
  if (*value) options.scalars[std::string(name)] = fmt::to_string(**value);
  return {};
}

// Cassandra shows these when they are false, else nothing.
cql::Status apply_switch(const Properties& with, std::string_view name, TableOptions& options) {
  auto value = with.boolean(name);
  if (!value) return Error(std::move(value.error()));
  if (!*value) return {};
  options.scalars.erase(std::string(name));
  if (!**value) options.scalars[std::string(name)] = "false";
  return {};
}

// Checked, but as without change data capture, not shown.
cql::Status check_cdc(const Properties& with) {
  auto value = with.boolean("cdc");
  if (!value) return Error(std::move(value.error()));
  return {};
}

template <class Convert>
cql::Status apply_map(const Properties& with, std::string_view name, Convert convert,
                      TableOptions& options) {
  auto given = with.map(name);
  if (!given) return Error(std::move(given.error()));
  if (!*given) return {};
  auto map = convert(**given);
  if (!map) return Error(std::move(map.error()));
  options.maps[std::string(name)] = std::move(*map);
  return {};
}

cql::Status apply_retry(const Properties& with, std::string_view name, TableOptions& options) {
  auto given = with.text(name);
  if (!given) return Error(std::move(given.error()));
  if (!*given) return {};
  auto policy = retry_policy(**given);
  if (!policy) return Error(std::move(policy.error()));
  options.scalars[std::string(name)] = std::move(*policy);
  return {};
}

cql::Status apply_comment(const Properties& with, TableOptions& options) {
  auto given = with.text("comment");
  if (!given) return Error(std::move(given.error()));
  if (*given) options.comment = std::move(**given);
  return {};
}

cql::Status apply_time_to_live(const Properties& with, TableOptions& options) {
  auto given = with.integer("default_time_to_live");
  if (!given) return Error(std::move(given.error()));
  if (*given) options.default_ttl_s = **given;
  return {};
}

cql::Status check_memtable(const Properties& with) {
  auto given = with.text("memtable");
  if (!given) return Error(std::move(given.error()));
  if (*given && **given != "default")
    return config_error(fmt::format("Memtable configuration \"{}\" not found.", **given));
  return {};
}

cql::Status apply_read_repair(const Properties& with, TableOptions& options) {
  auto given = with.text("read_repair");
  if (!given) return Error(std::move(given.error()));
  if (!*given) return {};
  const std::string strategy = to_upper(**given);
  if (strategy != "BLOCKING" && strategy != "NONE") {
    return config_error(fmt::format(
        "Invalid value {} for option 'read_repair': only 'BLOCKING' and 'NONE' are allowed",
        **given));
  }
  options.scalars["read_repair"] = strategy;
  return {};
}

// As Java prints a double: 2.0, 1.0E-6.
std::string java_double(double value) {
  const double size = std::abs(value);
  if (std::isfinite(size) && size != 0 && (size < 1e-3 || size >= 1e7)) {
    const int exponent = static_cast<int>(std::floor(std::log10(size)));
    return fmt::format("{}E{}", java_double(value / std::pow(10, exponent)), exponent);
  }
  std::string text = fmt::format("{}", value);
  if (std::isfinite(size) && text.find('.') == std::string::npos) text += ".0";
  return text;
}

double number_of(const TableOptions& options, const char* name) {
  return parse_double(options.scalars.at(name)).value();
}

int32_t integer_of(const TableOptions& options, const char* name) {
  return parse_int(options.scalars.at(name)).value();
}

cql::Status check_chances(const TableOptions& options) {
  const double bloom = number_of(options, "bloom_filter_fp_chance");
  if (!(bloom > kBloomFilterChanceMin && bloom <= 1)) {
    return config_error(
        fmt::format("bloom_filter_fp_chance must be larger than 6.71E-5 and less than or equal to "
                    "1.0 (got {})",
                    java_double(bloom)));
  }
  const double crc = number_of(options, "crc_check_chance");
  if (!(crc >= 0 && crc <= 1)) {
    return config_error(
        fmt::format("crc_check_chance must be larger than or equal to 0 and smaller than or equal "
                    "to 1.0 (got {})",
                    java_double(crc)));
  }
  return {};
}

cql::Status check_at_least(std::string_view name, int32_t value, int32_t least) {
  if (value >= least) return {};
  return config_error(
      fmt::format("{} must be greater than or equal to {} (got {})", name, least, value));
}

cql::Status check_intervals(const TableOptions& options) {
  const int32_t least = integer_of(options, "min_index_interval");
  const int32_t most = integer_of(options, "max_index_interval");
  if (auto status = check_at_least("min_index_interval", least, 1); !status) return status;
  if (most >= least) return {};
  return config_error(fmt::format(
      "max_index_interval must be greater than or equal to min_index_interval ({}) (got {})", least,
      most));
}

}  // namespace

TableOptions default_table_options() {
  TableOptions options;
  options.scalars = {{"additional_write_policy", "99p"}, {"bloom_filter_fp_chance", "0.01"},
                     {"crc_check_chance", "1"},          {"gc_grace_seconds", "864000"},
                     {"max_index_interval", "2048"},     {"memtable_flush_period_in_ms", "0"},
                     {"min_index_interval", "128"},      {"read_repair", "BLOCKING"},
                     {"speculative_retry", "99p"}};
  options.maps["caching"] = caching_options({}).value();
  options.maps["compaction"] =
      compaction_options({{"class", "SizeTieredCompactionStrategy"}}).value();
  options.maps["compression"] = compression_options({{"class", "LZ4Compressor"}}).value();
  return options;
}

cql::Result<TableOptions> apply_table_options(const cql::Options& given, TableOptions base) {
  const Properties with(given);
  cql::Status status;
  // In Cassandra's order, which decides what of several errors is told.
  const auto next = [&status](auto&& apply) {
    if (status) status = apply();
  };
  next([&] { return apply_switch(with, "allow_auto_snapshot", base); });
  next([&] { return apply_number(with, "bloom_filter_fp_chance", base); });
  next([&] { return apply_map(with, "caching", caching_options, base); });
  next([&] { return apply_comment(with, base); });
  next([&] { return apply_map(with, "compaction", compaction_options, base); });
  next([&] { return apply_map(with, "compression", compression_options, base); });
  next([&] { return check_memtable(with); });
  next([&] { return apply_time_to_live(with, base); });
  next([&] { return apply_integer(with, "gc_grace_seconds", base); });
  next([&] { return apply_switch(with, "incremental_backups", base); });
  next([&] { return apply_integer(with, "max_index_interval", base); });
  next([&] { return apply_integer(with, "memtable_flush_period_in_ms", base); });
  next([&] { return apply_integer(with, "min_index_interval", base); });
  next([&] { return apply_retry(with, "speculative_retry", base); });
  next([&] { return apply_retry(with, "additional_write_policy", base); });
  next([&] { return apply_number(with, "crc_check_chance", base); });
  next([&] { return check_cdc(with); });
  next([&] { return apply_read_repair(with, base); });
  if (!status) return Error(std::move(status.error()));
  return base;
}

cql::Status check_table_option_names(const cql::Options& with) {
  return Properties(with).check_names(kNames);
}

cql::Status check_table_options(const TableOptions& options) {
  if (auto status = check_chances(options); !status) return status;
  const int32_t ttl_s = options.default_ttl_s;
  if (auto status = check_at_least("default_time_to_live", ttl_s, 0); !status) return status;
  if (ttl_s > kTimeToLiveMax) {
    return config_error(fmt::format(
        "default_time_to_live must be less than or equal to {} (got {})", kTimeToLiveMax, ttl_s));
  }
  for (const char* name : {"gc_grace_seconds", "memtable_flush_period_in_ms"}) {
    if (auto status = check_at_least(name, integer_of(options, name), 0); !status) return status;
  }
  return check_intervals(options);
}

cql::Result<std::optional<protocol::Uuid>> table_id_option(const cql::Options& given) {
  auto text = Properties(given).text("id");
  if (!text) return Error(std::move(text.error()));
  if (!*text) return std::nullopt;
  auto id = protocol::parse_uuid(**text);
  if (!id) return config_error("Invalid table id");
  return *id;
}

}  // namespace cqlperf::server
