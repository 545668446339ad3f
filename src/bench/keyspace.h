#pragma once

#include <cstdint>
#include <string>

#include "bench/run.h"
#include "bench/run_config.h"
#include "client/setup_client.h"
#include "core/result.h"
#include "workload/schema.h"

namespace cqlperf::bench {

// The keyspace and the table of a run: made by it, or found and checked. What cqlperf makes carries
// a mark in its table's comment (workload/schema.h). Nothing that was there before is dropped, but
// for what RunConfig::fresh allows.
// Owner thread: the one that calls run(). Config, schema and listener outlive it.
class Keyspace {
 public:
  Keyspace(const RunConfig& config, const workload::Schema& schema, RunListener& listener)
      : config_(config), schema_(schema), listener_(listener) {}

  // Makes keyspace and table, or takes those of an earlier run. kSetup when they are not ours, with
  // the flag that helps; they are left as they are. Also after an error clean_up() is to be called.
  core::Status prepare(client::SetupClient& client);

  // How many keys, from 0 on, the table is known to hold with this seed's values: what set_filled()
  // said in an earlier run.
  int64_t filled_keys() const { return filled_keys_; }
  // Notes in the table's comment that it holds the keys from 0 up to `keys`.
  core::Status set_filled(client::SetupClient& client, int64_t keys);
  // Before rows are written: takes back such a note of an earlier run that had another seed, since
  // its values are going to be overwritten.
  core::Status forget_other_values(client::SetupClient& client);

  // Tells the listener when a table that this run made is saved.
  void say_what_stays() const;
  // There is something that clean_up() will drop.
  bool needs_clean_up() const { return !config_.save && (made_keyspace_ || made_table_); }
  // Drops what prepare() made, unless it is to be saved.
  core::Status clean_up(client::SetupClient& client);

 private:
  struct Found {
    bool keyspace = false;
    bool keyspace_is_ours = false;
    bool keyspace_is_empty = false;
    bool table = false;
    std::string table_comment;
  };

  core::Result<Found> look(client::SetupClient& client) const;
  core::Status check_owner(const Found& found) const;
  core::Status drop_earlier(client::SetupClient& client, Found& found);
  core::Status make_keyspace(client::SetupClient& client);
  core::Status make_table(client::SetupClient& client);
  core::Status set_comment(client::SetupClient& client, const std::string& comment) const;
  core::Status change(client::SetupClient& client, const std::string& cql) const;

  const RunConfig& config_;
  const workload::Schema& schema_;
  RunListener& listener_;
  bool made_keyspace_ = false;
  bool made_table_ = false;
  int64_t filled_keys_ = 0;
  bool has_other_values_ = false;
};

}  // namespace cqlperf::bench
