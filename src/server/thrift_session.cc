#include "server/thrift_session.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "server/limits.h"
#include "server/thrift_cells.h"
#include "server/thrift_connection.h"
#include "server/thrift_host.h"
#include "server/thrift_schema.h"
#include "server/thrift_types.h"
#include "server/worker.h"

namespace cqlperf::server {
namespace {

using thrift::Call;

constexpr std::string_view kVersion = "20.1.0";  // of the interface, as 3.11 says it
constexpr const char* kNoCql2 = "CQL2 has been removed in Cassandra 3.0. Please use CQL3 instead";

// Up to the first that fails; then `undo` is dropped, if it is a keyspace that one of them made.
cql::Result<Catalog::Outcome> run_all(Catalog& catalog,
                                      const std::vector<cql::Statement>& statements,
                                      const std::string& keyspace, const std::string& undo) {
  cql::Result<Catalog::Outcome> outcome = protocol::VoidResult{};
  for (const cql::Statement& statement : statements) {
    outcome = catalog.execute(statement, keyspace);
    if (outcome) continue;
    const bool has_made = &statement != &statements.front() && !undo.empty();
    if (has_made)
      (void)catalog.execute(cql::DropKeyspace{.keyspace = undo, .if_exists = true}, keyspace);
    break;
  }
  return outcome;
}

// As in Cassandra: these give no data away.
bool is_open_to_all(Call call) {
  return call == Call::kLogin || call == Call::kSetKeyspace || call == Call::kDescribeVersion ||
         call == Call::kDescribeClusterName;
}

}  // namespace

ThriftSession::ThriftSession(ThriftHost& host, ThriftConnection& connection)
    : host_(host),
      worker_(host.worker()),
      connection_(connection),
      is_logged_in_(host.worker().database().credentials() == nullptr) {}

ReplyTo ThriftSession::to() const { return {&connection_, 0}; }

void ThriftSession::handle(const thrift::CallReader::Received& received) {
  if (const auto* refusal = std::get_if<thrift::Refusal>(&received)) {
    host_.replies().refusal(refusal->name, refusal->seqid, refusal->type, refusal->why,
                            connection_.output());
    return connection_.end_answer();
  }
  const thrift::CallMessage& message = *std::get<const thrift::CallMessage*>(received);
  call_ = message.call;
  seqid_ = message.seqid;
  if (!is_logged_in_ && !is_open_to_all(call_)) return fail("You have not logged in");
  dispatch(message);
}

void ThriftSession::dispatch(const thrift::CallMessage& message) {
  switch (message.call) {
    case Call::kLogin:
      return login(message);
    case Call::kSetKeyspace:
      return set_keyspace(std::string(message.text));
    case Call::kGetSlice:
      return get_slice(message);
    case Call::kInsert:
    case Call::kAdd:
    case Call::kBatchMutate:
      return write(message);
    case Call::kTruncate:
      return truncate(std::string(message.text));
    case Call::kDescribeKeyspaces:
      return describe_keyspaces();
    case Call::kDescribeKeyspace:
      return describe_keyspace(std::string(message.text));
    case Call::kDescribeClusterName:
      return answer_text(worker_.database().catalog().node().cluster_name);
    case Call::kDescribeVersion:
      return answer_text(kVersion);
    case Call::kSystemAddColumnFamily:
      return add_table(message.table);
    case Call::kSystemDropColumnFamily:
      return drop_table(std::string(message.text));
    case Call::kSystemAddKeyspace:
      return add_keyspace(message.keyspace);
    case Call::kSystemDropKeyspace:
      return change_schema({cql::DropKeyspace{std::string(message.text)}}, keyspace_);
    case Call::kExecuteCql3Query:
      return query(message);
    case Call::kPrepareCql3Query:
      return prepare(message);
    case Call::kExecutePreparedCql3Query:
      return execute(message);
    case Call::kExecuteCqlQuery:
    case Call::kPrepareCqlQuery:
    case Call::kExecutePreparedCqlQuery:
      return fail(kNoCql2);
    case Call::kSetCqlVersion:
      return answer_nothing();
  }
}

void ThriftSession::login(const thrift::CallMessage& message) {
  const Credentials* credentials = worker_.database().credentials();
  if (credentials == nullptr) return answer_nothing();
  const auto checked = credentials->check(message.user, message.password);
  is_logged_in_ = checked.has_value();
  if (is_logged_in_) return answer_nothing();
  if (++wrong_logins_ >= kLoginsMax) connection_.end_after_answer();
  fail(checked.error());
}

void ThriftSession::set_keyspace(const std::string& keyspace) {
  if (worker_.schema()->find_keyspace(keyspace) == nullptr)
    return fail(fmt::format("Keyspace '{}' does not exist", keyspace));
  keyspace_ = keyspace;
  answer_nothing();
}

void ThriftSession::get_slice(const thrift::CallMessage& message) {
  const SchemaPtr& schema = worker_.schema();
  auto plans = host_.plans().find(keyspace_, message.column_family, schema);
  if (!plans) return fail(plans.error());
  if (message.has_super_column) return fail("this server has no super columns");
  if (message.key.empty()) return fail("Key may not be empty");
  auto columns = select_columns(*(*plans)->table, message.predicates.front());
  if (!columns) return fail(columns.error());
  const auto compiled = host_.plans().slice(**plans, schema);
  if (!compiled) return fail(compiled.error());
  table_ = (*plans)->table;
  columns_ = std::move(*columns);
  const auto& range = message.predicates.front().range;
  count_max_ = range ? static_cast<size_t>(range->count) : columns_.size();
  const protocol::Value key = protocol::Value::of(message.key);
  run(*compiled, {&key, 1}, native_consistency(message.consistency), keyspace_);
}

void ThriftSession::write(const thrift::CallMessage& message) {
  ThriftWrites& writes = host_.writes();
  if (auto status = writes.make(message, keyspace_, worker_.schema()); !status)
    return fail(status.error());
  const auto& items = writes.items();
  if (items.empty()) return answer_nothing();
  Arguments arguments = arguments_of(native_consistency(message.consistency));
  if (items.size() == 1) {
    arguments.values = items.front().values;
    worker_.writer().execute(*items.front().plan, arguments, to());
  } else {
    const auto kind =
        writes.are_counters() ? cql::Batch::Kind::kCounter : cql::Batch::Kind::kUnlogged;
    worker_.writer().execute_batch(kind, items, arguments, to());
  }
  writes.clear();
}

void ThriftSession::describe_keyspaces() {
  std::vector<thrift::KeyspaceDef> described;
  for (const auto& [name, keyspace] : worker_.schema()->keyspaces)
    if (!keyspace->is_virtual) described.push_back(describe(*keyspace));
  host_.replies().keyspaces(seqid_, described, connection_.output());
  connection_.end_answer();
}

void ThriftSession::describe_keyspace(const std::string& keyspace) {
  const Keyspace* found = worker_.schema()->find_keyspace(keyspace);
  if (found == nullptr || found->is_virtual) {
    thrift::Exception missing;
    missing.kind = thrift::Exception::Kind::kNotFound;
    return fail(missing);
  }
  host_.replies().keyspace(seqid_, describe(*found), connection_.output());
  connection_.end_answer();
}

void ThriftSession::add_keyspace(const thrift::KeyspaceDef& keyspace) {
  const SchemaPtr& schema = worker_.schema();
  const auto is_same = [&](const auto& one) {
    return std::ranges::equal(one.first, keyspace.name, [](char left, char right) {
      return std::tolower(static_cast<unsigned char>(left)) ==
             std::tolower(static_cast<unsigned char>(right));
    });
  };
  const auto found = std::ranges::find_if(schema->keyspaces, is_same);
  if (found != schema->keyspaces.end())
    return fail(fmt::format(
        "Keyspace names must be case-insensitively unique (\"{}\" conflicts with \"{}\")",
        keyspace.name, found->first));
  auto statements = statements_of(keyspace);
  if (!statements) return fail(statements.error());
  change_schema(std::move(*statements), keyspace.name, keyspace.name);
}

void ThriftSession::add_table(const thrift::TableDef& table) {
  const std::string& keyspace = table.keyspace.empty() ? keyspace_ : table.keyspace;
  auto statements = statements_of(table, keyspace);
  if (!statements) return fail(statements.error());
  change_schema(std::move(*statements), keyspace);
}

void ThriftSession::drop_table(const std::string& table) {
  change_schema({cql::DropTable{{keyspace_, table}}}, keyspace_);
}

void ThriftSession::truncate(const std::string& table) {
  const auto plans = host_.plans().find(keyspace_, table, worker_.schema());
  if (!plans) return fail(plans.error());
  change_schema({cql::Truncate{{keyspace_, table}}}, keyspace_);
}

void ThriftSession::change_schema(Statements statements, const std::string& keyspace,
                                  std::string undo) {
  const auto change = [&host = host_, number = connection_.number(),
                       statements = std::move(statements), keyspace,
                       undo = std::move(undo)](bool is_refused) {
    cql::Result<Catalog::Outcome> outcome =
        cql::fail(protocol::ErrorCode::kServerError, "the server is stopping");
    if (!is_refused)
      outcome = run_all(host.worker().database().catalog(), statements, keyspace, undo);
    host.worker().post([&host, number, outcome = std::move(outcome)] {
      ThriftConnection* connection = host.find(number);
      if (connection == nullptr) return;
      const ReplyTo reply_to{connection, 0};
      if (!outcome) return reply_error(reply_to, outcome.error());
      reply_void(reply_to);
    });
  };
  if (worker_.database().changes().post(change)) return;
  thrift::Exception busy;
  busy.kind = thrift::Exception::Kind::kApplication;
  busy.application_type = static_cast<int32_t>(thrift::ApplicationError::kInternalError);
  busy.why = fmt::format("{} schema changes are waiting already", kSchemaChangesWaitingMax);
  fail(busy);
}

}  // namespace cqlperf::server
