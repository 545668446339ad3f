#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/listener.h"
#include "bench/server_config.h"
#include "client/setup_client.h"
#include "core/result.h"
#include "net/endpoint.h"
#include "workload/schema.h"

namespace cqlperf::bench {

// A server's or connection's error in a step of the set-up, with what was being done; what a server
// has refused there is kSetup.
std::unexpected<core::Error> in_step(std::string_view step, core::Error error);

// The keyspace and the table of a command: made by it, or found and checked. What cqlperf makes
// carries a mark in its table's comment (workload/schema.h). Nothing that was there before is
// dropped, but for what OwnTable::fresh allows.
// Owner thread: the one that runs the command. Config, schema and listener outlive it.
class Keyspace {
 public:
  // `drop_timeout_ns`: of DROP, which may take much longer than other changes.
  Keyspace(const OwnTable& config, int64_t schema_timeout_ns, int64_t drop_timeout_ns,
           const workload::Schema& schema, Listener& listener)
      : config_(config),
        schema_timeout_ns_(schema_timeout_ns),
        drop_timeout_ns_(drop_timeout_ns),
        schema_(schema),
        listener_(listener) {}

  // Makes keyspace and table, or takes those of an earlier run. kSetup when they are not ours, with
  // the flag that helps; they are left as they are. Also after an error clean_up() is to be called.
  core::Status prepare(client::SetupClient& client);

  // The table was there before prepare().
  bool found_table() const { return found_table_; }
  // What an earlier run has noted of what the table holds; empty when nothing was.
  const std::string& contents() const { return contents_; }
  // Notes it, in the table's comment; empty takes the note back. Nothing is sent when that is what
  // the comment says already. Without single quotes.
  core::Status set_contents(client::SetupClient& client, const std::string& contents);

  // Tells the listener that the table was there.
  void say_what_was_found() const;
  // Tells the listener when a table that this run made is saved.
  void say_what_stays() const;
  // There is something that clean_up() will drop.
  bool needs_clean_up() const { return !config_.save && (made_keyspace_ || made_table_); }
  // Drops what prepare() made, unless it is to be saved; of a keyspace that has other tables by now
  // only the table.
  core::Status clean_up(client::SetupClient& client);

 private:
  struct Found {
    bool keyspace = false;
    bool keyspace_is_ours = false;
    bool keyspace_is_empty = false;
    bool table = false;
    std::string table_comment;
  };

  core::Result<bool> has_other_tables(client::SetupClient& client) const;
  int64_t clean_up_timeout_ns() const;
  core::Result<Found> look(client::SetupClient& client) const;
  core::Status check_owner(const Found& found) const;
  core::Status drop_earlier(client::SetupClient& client, Found& found);
  core::Status make_keyspace(client::SetupClient& client);
  core::Status make_table(client::SetupClient& client);
  core::Status change(client::SetupClient& client, const std::string& cql,
                      int64_t timeout_ns) const;

  const OwnTable& config_;
  const int64_t schema_timeout_ns_;
  const int64_t drop_timeout_ns_;
  const workload::Schema& schema_;
  Listener& listener_;
  bool made_keyspace_ = false;
  bool made_table_ = false;
  bool found_table_ = false;
  std::string contents_;
};

// Keyspace::clean_up() on a connection of its own, since the command may have been long, or
// interrupted, or the server restarted. `nodes` are those that have the keyspace.
core::Status drop_what_was_made(Keyspace& keyspace, const OwnTable& table,
                                const ServerConfig& config,
                                const std::vector<net::SocketAddress>& nodes, Listener& listener);

}  // namespace cqlperf::bench
