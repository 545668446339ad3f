#include "bench/keyspace.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/connection_settings.h"
#include "core/interrupt.h"
#include "protocol/error.h"

namespace cqlperf::bench {
namespace {

using client::SetupClient;
using core::ErrorCode;
using core::fail;
using core::Status;

// A table's comment when it notes what is in it.
std::string comment_of(const workload::Schema& schema, const std::string& contents) {
  return contents.empty() ? schema.table_comment()
                          : fmt::format("{}: {}", workload::kOwnershipMark, contents);
}

// The reverse.
std::string contents_of(const workload::Schema& schema, std::string_view comment) {
  if (comment == schema.table_comment()) return {};
  comment.remove_prefix(std::min(comment.size(), workload::kOwnershipMark.size() + 2));
  return std::string(comment);
}

// How long an interrupted command waits for a connection to clean up with.
constexpr int64_t kCleanUpConnectNs = 2 * core::kNanosPerSecond;
// How long a change is waited for after an interrupt.
constexpr int64_t kInterruptedChangeNs = 10 * core::kNanosPerSecond;

// The server's last answer says that it has changed nothing. After any other failure the change may
// have been made all the same.
bool was_refused(const SetupClient& client) {
  constexpr protocol::ErrorCode kRefusals[] = {
      protocol::ErrorCode::kSyntaxError, protocol::ErrorCode::kUnauthorized,
      protocol::ErrorCode::kInvalid, protocol::ErrorCode::kConfigError,
      protocol::ErrorCode::kAlreadyExists};
  const auto code = client.last_error_code();
  return code && std::ranges::any_of(kRefusals, [&](protocol::ErrorCode refusal) {
           return *code == static_cast<int32_t>(refusal);
         });
}

}  // namespace

std::unexpected<core::Error> in_step(std::string_view step, core::Error error) {
  if (error.code == ErrorCode::kServer) error.code = ErrorCode::kSetup;
  error.message = fmt::format("{}: {}", step, error.message);
  return std::unexpected(std::move(error));
}

Status Keyspace::prepare(SetupClient& client) {
  auto found = look(client);
  if (!found) return in_step("looking for the keyspace", found.error());
  if (auto status = check_owner(*found); !status) return status;
  if (config_.fresh)
    if (auto status = drop_earlier(client, *found); !status) return status;
  if (!found->keyspace)
    if (auto status = make_keyspace(client); !status) return status;
  if (!found->table) return make_table(client);
  found_table_ = true;
  contents_ = contents_of(schema_, found->table_comment);
  return {};
}

core::Result<Keyspace::Found> Keyspace::look(SetupClient& client) const {
  Found found;
  const auto keyspaces = client.query(schema_.find_keyspace_cql());
  if (!keyspaces) return std::unexpected(keyspaces.error());
  found.keyspace = !keyspaces->rows.empty();
  if (!found.keyspace) return found;
  const auto tables = client.query(schema_.find_tables_cql());
  if (!tables) return std::unexpected(tables.error());
  std::vector<std::string> comments;
  for (size_t row = 0; row < tables->rows.size(); ++row) {
    comments.push_back(tables->rows.text(row, "comment").value_or(""));
    if (tables->rows.text(row, "table_name") != schema_.table()) continue;
    found.table = true;
    found.table_comment = comments.back();
  }
  found.keyspace_is_ours = workload::is_ours(comments);
  found.keyspace_is_empty = comments.empty();
  return found;
}

Status Keyspace::check_owner(const Found& found) const {
  if (found.table && !found.table_comment.starts_with(workload::kOwnershipMark))
    return fail(ErrorCode::kSetup,
                fmt::format("the table {} exists and was not made by cqlperf: it is left as it is; "
                            "name another with --table or --keyspace",
                            schema_.qualified_table()));
  // A run that was killed right after making its keyspace leaves one without tables.
  if (found.keyspace_is_empty && !config_.existing_keyspace)
    return config_.fresh
               ? Status()
               : fail(ErrorCode::kSetup,
                      fmt::format("the keyspace {} exists and has no tables, so that it cannot be "
                                  "told whose it is: add --fresh to drop it, or "
                                  "--existing-keyspace to make the table in it, or name another "
                                  "with --keyspace",
                                  schema_.keyspace()));
  if (found.keyspace && !found.keyspace_is_ours && !config_.existing_keyspace)
    return fail(ErrorCode::kSetup,
                fmt::format("the keyspace {} exists and was not made by cqlperf: it is left as it "
                            "is; name another with --keyspace, or add --existing-keyspace to make "
                            "only the table in it",
                            schema_.keyspace()));
  return {};
}

Status Keyspace::drop_earlier(SetupClient& client, Found& found) {
  if ((found.keyspace_is_ours || found.keyspace_is_empty) && !config_.existing_keyspace) {
    if (auto status = change(client, schema_.drop_keyspace_cql(), drop_timeout_ns_); !status)
      return in_step("dropping the keyspace of an earlier run", status.error());
    found = {};
  } else if (found.table) {
    if (auto status = change(client, schema_.drop_table_cql(), drop_timeout_ns_); !status)
      return in_step("dropping the table of an earlier run", status.error());
    found.table = false;
  }
  return {};
}

Status Keyspace::make_keyspace(SetupClient& client) {
  const auto status = change(client, schema_.create_keyspace_cql(), schema_timeout_ns_);
  made_keyspace_ = status || !was_refused(client);
  if (!status)
    return in_step(fmt::format("making the keyspace {}", schema_.keyspace()), status.error());
  return {};
}

Status Keyspace::make_table(SetupClient& client) {
  const auto status = change(client, schema_.create_table_cql(), schema_timeout_ns_);
  made_table_ = status || !was_refused(client);
  if (!status)
    return in_step(fmt::format("making the table {}", schema_.qualified_table()), status.error());
  return {};
}

Status Keyspace::change(SetupClient& client, const std::string& cql, int64_t timeout_ns) const {
  const auto answer = client.query(cql, timeout_ns);
  Status status;
  if (answer)
    status = client.await_schema_agreement(schema_timeout_ns_);
  else
    status = std::unexpected(answer.error());
  if (status) return status;
  if (status.error().code == ErrorCode::kInterrupted && !answer)
    client.await_interrupted_query(kInterruptedChangeNs);
  if (status.error().code == ErrorCode::kTimeout)
    status.error().message += "; --schema-timeout sets how long is waited";
  return status;
}

Status Keyspace::set_contents(SetupClient& client, const std::string& contents) {
  if (contents == contents_) return {};
  const auto status = change(client,
                             fmt::format("ALTER TABLE {} WITH comment = '{}'",
                                         schema_.qualified_table(), comment_of(schema_, contents)),
                             schema_timeout_ns_);
  if (!status) return in_step("noting what the table holds", status.error());
  contents_ = contents;
  return {};
}

void Keyspace::say_what_was_found() const {
  if (found_table_)
    listener_.on_note(fmt::format("{} is there from an earlier run: it is used, and kept",
                                  schema_.qualified_table()));
}

void Keyspace::say_what_stays() const {
  if (config_.save && (made_keyspace_ || made_table_))
    listener_.on_note(fmt::format("{} is kept: later runs use it, and --fresh drops it",
                                  schema_.qualified_table()));
}

// Another run may have been started in the keyspace that this one has made.
core::Result<bool> Keyspace::has_other_tables(SetupClient& client) const {
  if (!made_keyspace_) return false;
  const auto tables = client.query(schema_.find_tables_cql(), clean_up_timeout_ns());
  if (!tables) return std::unexpected(tables.error());
  for (size_t row = 0; row < tables->rows.size(); ++row)
    if (tables->rows.text(row, "table_name") != schema_.table()) return true;
  return false;
}

int64_t Keyspace::clean_up_timeout_ns() const {
  return core::interrupted() ? std::min(drop_timeout_ns_, kInterruptedChangeNs) : drop_timeout_ns_;
}

Status Keyspace::clean_up(SetupClient& client) {
  if (!needs_clean_up()) return {};
  const auto others = has_other_tables(client);
  if (!others) return in_step("looking at the keyspace", others.error());
  if (*others)
    listener_.on_note(
        fmt::format("the keyspace {} is kept: it has tables of others by now", schema_.keyspace()));
  const bool drop_keyspace = made_keyspace_ && !*others;
  if (!drop_keyspace && !made_table_) return {};
  const std::string cql = drop_keyspace ? schema_.drop_keyspace_cql() : schema_.drop_table_cql();
  if (auto answer = client.query(cql, clean_up_timeout_ns()); !answer)
    return in_step(fmt::format("dropping what this run made ({})", cql), answer.error());
  made_keyspace_ = made_table_ = false;
  return {};
}

Status drop_what_was_made(Keyspace& keyspace, const OwnTable& table, const ServerConfig& config,
                          const std::vector<net::SocketAddress>& nodes, Listener& listener) {
  if (!keyspace.needs_clean_up()) return {};
  client::ConnectionOptions options = connection_options(config);
  if (core::interrupted()) {
    listener.on_note(
        fmt::format("dropping what this run made in {}; Ctrl-C again leaves it", table.keyspace));
    options.connect_timeout_ns = std::min(options.connect_timeout_ns, kCleanUpConnectNs);
  }
  std::vector<net::Endpoint> points;
  for (const auto& node : nodes) points.push_back({node.host(), node.port()});
  auto client = SetupClient::connect(options, points, client::Interrupts::kIgnore);
  if (!client)
    return fail(client.error().code, fmt::format("the keyspace {} could not be dropped: {}",
                                                 table.keyspace, client.error().message));
  return keyspace.clean_up(*client);
}

}  // namespace cqlperf::bench
