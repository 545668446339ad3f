#include "bench/keyspace.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/interrupt.h"
#include "protocol/error.h"

namespace cqlperf::bench {
namespace {

using client::SetupClient;
using core::ErrorCode;
using core::fail;
using core::Status;

// What set_filled() adds to the mark, and filled_keys() reads.
std::string filled_comment(int64_t keys, uint64_t seed) {
  return fmt::format("{}: keys from 0 to below {}, values of seed {}", workload::kOwnershipMark,
                     keys, seed);
}

// The keys that a comment speaks of, when it speaks of this seed's; else 0.
int64_t keys_in_comment(std::string_view comment, uint64_t seed) {
  constexpr std::string_view kBefore = "to below ";
  const size_t at = comment.find(kBefore);
  if (at == std::string_view::npos) return 0;
  int64_t keys = 0;
  const char* first = comment.data() + at + kBefore.size();
  std::from_chars(first, comment.data() + comment.size(), keys);
  return comment == filled_comment(keys, seed) ? keys : 0;
}

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

// A server's or connection's error in a step of the set-up, with what was being done.
std::unexpected<core::Error> in_step(std::string_view step, core::Error error) {
  if (error.code == ErrorCode::kServer) error.code = ErrorCode::kSetup;
  error.message = fmt::format("{}: {}", step, error.message);
  return std::unexpected(std::move(error));
}

}  // namespace

Status Keyspace::prepare(SetupClient& client) {
  auto found = look(client);
  if (!found) return in_step("looking for the keyspace", found.error());
  if (auto status = check_owner(*found); !status) return status;
  if (config_.fresh)
    if (auto status = drop_earlier(client, *found); !status) return status;
  if (!found->keyspace)
    if (auto status = make_keyspace(client); !status) return status;
  if (!found->table) return make_table(client);
  filled_keys_ = keys_in_comment(found->table_comment, config_.seed);
  has_other_values_ = filled_keys_ == 0 && found->table_comment != schema_.table_comment();
  listener_.on_note(fmt::format("{} is there from an earlier run: it is used, and kept",
                                schema_.qualified_table()));
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
  if (found.keyspace_is_ours || (found.keyspace_is_empty && !config_.existing_keyspace)) {
    if (auto status = change(client, schema_.drop_keyspace_cql()); !status)
      return in_step("dropping the keyspace of an earlier run", status.error());
    found = {};
  } else if (found.table) {
    if (auto status = change(client, schema_.drop_table_cql()); !status)
      return in_step("dropping the table of an earlier run", status.error());
    found.table = false;
  }
  return {};
}

Status Keyspace::make_keyspace(SetupClient& client) {
  const auto status = change(client, schema_.create_keyspace_cql());
  made_keyspace_ = status || !was_refused(client);
  if (!status)
    return in_step(fmt::format("making the keyspace {}", schema_.keyspace()), status.error());
  return {};
}

Status Keyspace::make_table(SetupClient& client) {
  const auto status = change(client, schema_.create_table_cql());
  made_table_ = status || !was_refused(client);
  if (!status)
    return in_step(fmt::format("making the table {}", schema_.qualified_table()), status.error());
  return {};
}

Status Keyspace::change(SetupClient& client, const std::string& cql) const {
  const auto answer = client.query(cql, config_.schema_timeout_ns);
  Status status;
  if (answer)
    status = client.await_schema_agreement(config_.schema_timeout_ns);
  else
    status = std::unexpected(answer.error());
  if (status) return status;
  if (status.error().code == ErrorCode::kInterrupted && !answer)
    client.await_interrupted_query(kInterruptedChangeNs);
  if (status.error().code == ErrorCode::kTimeout)
    status.error().message += "; --schema-timeout sets how long is waited";
  return status;
}

Status Keyspace::forget_other_values(SetupClient& client) {
  if (!std::exchange(has_other_values_, false)) return {};
  const auto status = set_comment(client, schema_.table_comment());
  if (!status) return in_step("noting that the table's values change", status.error());
  return {};
}

Status Keyspace::set_filled(SetupClient& client, int64_t keys) {
  filled_keys_ = keys;
  return set_comment(client, filled_comment(keys, config_.seed));
}

Status Keyspace::set_comment(SetupClient& client, const std::string& comment) const {
  return change(client, fmt::format("ALTER TABLE {} WITH comment = '{}'", schema_.qualified_table(),
                                    comment));
}

void Keyspace::say_what_stays() const {
  if (config_.save && !config_.run_lines && (made_keyspace_ || made_table_))
    listener_.on_note(fmt::format("{} is kept: later runs use it, and --fresh drops it",
                                  schema_.qualified_table()));
}

Status Keyspace::clean_up(SetupClient& client) {
  if (!needs_clean_up()) return {};
  const std::string cql = made_keyspace_ ? schema_.drop_keyspace_cql() : schema_.drop_table_cql();
  const int64_t timeout_ns = core::interrupted()
                                 ? std::min(config_.schema_timeout_ns, kInterruptedChangeNs)
                                 : config_.schema_timeout_ns;
  if (auto answer = client.query(cql, timeout_ns); !answer)
    return in_step(fmt::format("dropping what this run made ({})", cql), answer.error());
  made_keyspace_ = made_table_ = false;
  return {};
}

}  // namespace cqlperf::bench
