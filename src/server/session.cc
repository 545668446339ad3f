#include "server/session.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/clock.h"
#include "core/text.h"
#include "protocol/auth_response.h"
#include "protocol/auth_success.h"
#include "protocol/authenticate.h"
#include "protocol/options.h"
#include "protocol/prepare.h"
#include "protocol/query.h"
#include "protocol/ready.h"
#include "protocol/register.h"
#include "protocol/startup.h"
#include "server/connection.h"
#include "server/limits.h"
#include "server/session_values.h"

namespace cqlperf::server {
namespace {

using protocol::ErrorCode;
using protocol::Opcode;

constexpr std::string_view kAuthenticator = "org.apache.cassandra.auth.PasswordAuthenticator";

// In the order of protocol::Event's alternatives.
constexpr std::string_view kEventTypes[] = {"TOPOLOGY_CHANGE", "STATUS_CHANGE", "SCHEMA_CHANGE"};

// The text is Cassandra's, by which people know it.
protocol::ErrorMessage unprepared(protocol::ByteView id) {
  std::string hex;
  for (const uint8_t byte : id) fmt::format_to(std::back_inserter(hex), "{:02x}", byte);
  auto error = protocol::ErrorMessage::of(
      ErrorCode::kUnprepared,
      fmt::format("Prepared query with ID {} not found (either the query was not prepared on this "
                  "host (maybe the host has been restarted?) or you have prepared too many queries "
                  "and it has been evicted from the internal cache)",
                  hex));
  error.details = protocol::UnpreparedDetails{protocol::to_bytes(id)};
  return error;
}

}  // namespace

bool Session::wants(const protocol::Event& event) const {
  return (events_ >> event.event.index() & 1) != 0;
}

ReplyTo Session::to() const { return {&connection_, header_.stream}; }

template <class Message>
void Session::reply(const Message& message) {
  core::Buffer& out = connection_.begin_reply(header_.stream, Message::kOpcode);
  message.encode_body(connection_.version(), out);
  connection_.end_reply();
}

void Session::malformed(const core::Error& why) {
  connection_.end_with(header_.stream,
                       protocol::ErrorMessage::of(ErrorCode::kProtocolError, why.message));
}

void Session::unexpected(std::string_view expected) {
  malformed(
      {core::ErrorCode::kProtocol, fmt::format("Unexpected message {}, expecting {}",
                                               protocol::opcode_name(header_.opcode), expected)});
}

void Session::handle(const protocol::FrameHeader& header, protocol::ByteView body) {
  header_ = header;
  if (header.opcode == Opcode::kOptions) return reply(supported_options());
  if (state_ == State::kNew)
    return header.opcode == Opcode::kStartup ? startup(body) : unexpected("STARTUP or OPTIONS");
  if (state_ == State::kLogin)
    return header.opcode == Opcode::kAuthResponse ? login(body) : unexpected("AUTH_RESPONSE");
  switch (header.opcode) {
    case Opcode::kExecute:
      return execute(body);
    case Opcode::kQuery:
      return query(body);
    case Opcode::kPrepare:
      return prepare(body);
    case Opcode::kBatch:
      return batch(body);
    case Opcode::kRegister:
      return register_events(body);
    case Opcode::kStartup:
      return malformed({core::ErrorCode::kProtocol,
                        "Unexpected message STARTUP, the connection is already initialized"});
    default:
      return unexpected("QUERY, PREPARE, EXECUTE, BATCH, REGISTER or OPTIONS");
  }
}

void Session::startup(protocol::ByteView body) {
  const auto message = protocol::Startup::decode_body(connection_.version(), body);
  if (!message) return malformed(message.error());
  const auto compression = read_startup(*message, connection_.version());
  if (!compression) return malformed({core::ErrorCode::kProtocol, compression.error().message});
  const bool wants_login = worker_.database().credentials() != nullptr;
  state_ = wants_login ? State::kLogin : State::kReady;
  if (wants_login)
    reply(protocol::Authenticate{std::string(kAuthenticator)});
  else
    reply(protocol::Ready{});
  // What comes after this answer, both ways, is compressed and in segments.
  connection_.agree(*compression);
}

void Session::login(protocol::ByteView body) {
  const auto message = protocol::AuthResponse::decode_body(connection_.version(), body);
  if (!message) return malformed(message.error());
  const auto checked = worker_.database().credentials()->check(*message);
  if (checked) {
    state_ = State::kReady;
    return reply(protocol::AuthSuccess{});
  }
  if (++wrong_logins_ < kLoginsMax) return error(checked.error());
  connection_.end_with(header_.stream, checked.error());
}

void Session::register_events(protocol::ByteView body) {
  const auto message = protocol::Register::decode_body(connection_.version(), body);
  if (!message) return malformed(message.error());
  for (const std::string& type : message->event_types) {
    const auto* const found = std::ranges::find(kEventTypes, type);
    if (found == std::end(kEventTypes))
      return malformed({core::ErrorCode::kProtocol,
                        fmt::format("Invalid value '{}' for Type", core::printable(type, 64))});
    events_ |= static_cast<uint8_t>(1 << (found - kEventTypes));
  }
  reply(protocol::Ready{});
}

void Session::query(protocol::ByteView body) {
  auto message = protocol::Query::decode_body(connection_.version(), body);
  if (!message) return malformed(message.error());
  const std::string keyspace(message->parameters.keyspace.value_or(keyspace_));
  const auto compiled = compile_text(message->query, keyspace, worker_.schema());
  if (!compiled) return error(compiled.error());
  order_values(message->parameters, (*compiled)->bind);
  if (message->parameters.values.size() != (*compiled)->marker_count())
    return error(
        protocol::ErrorMessage::of(ErrorCode::kInvalid, "Invalid amount of bind variables"));
  Arguments arguments = arguments_of(message->parameters);
  run(*compiled, message->parameters.consistency, arguments, keyspace);
}

void Session::prepare(protocol::ByteView body) {
  const auto message = protocol::Prepare::decode_body(connection_.version(), body);
  if (!message) return malformed(message.error());
  const SchemaPtr& schema = worker_.schema();
  const std::string keyspace(message->keyspace.value_or(keyspace_));
  const auto statement = worker_.database().prepared().prepare(message->query, keyspace, schema);
  if (!statement) return error(statement.error());
  const auto compiled = (*statement)->compiled(schema);
  if (!compiled) return error(compiled.error());
  const StableId& id = (*statement)->id();
  reply_result(to(), {protocol::Prepared{.id = {id.begin(), id.end()},
                                         .bind = (*compiled)->bind,
                                         .result = (*compiled)->result,
                                         .result_metadata_id = (*compiled)->result_id}});
}

const PreparedView::Entry* Session::find_prepared(protocol::ByteView id) {
  const auto found = worker_.prepared().find(id, worker_.schema());
  if (!found) {
    error(found.error());
    return nullptr;
  }
  if (*found == nullptr) error(unprepared(id));
  return *found;
}

void Session::execute(protocol::ByteView body) {
  auto message = protocol::Execute::decode_body(connection_.version(), body);
  if (!message) return malformed(message.error());
  const PreparedView::Entry* entry = find_prepared(message->id);
  if (entry == nullptr) return;
  const CompiledPtr& compiled = entry->compiled;
  protocol::QueryParameters& parameters = message->parameters;
  if (!parameters.names.empty()) order_values(parameters, compiled->bind);
  if (parameters.values.size() != compiled->marker_count())
    return error(protocol::ErrorMessage::of(
        ErrorCode::kInvalid, fmt::format("there were {} markers(?) in CQL but {} bound variables",
                                         compiled->marker_count(), parameters.values.size())));
  Arguments arguments = arguments_of(parameters);
  arguments.metadata = metadata_form(*message, *entry);
  if (arguments.metadata == MetadataForm::kChanged) arguments.metadata_id = compiled->result_id;
  run(compiled, parameters.consistency, arguments, entry->statement->keyspace());
}

// Section 4.2.5.2: v5 tells a client whose metadata is old; before it, only metadata that was never
// another may be left out.
MetadataForm Session::metadata_form(const protocol::Execute& message,
                                    const PreparedView::Entry& entry) const {
  const bool may_skip = message.parameters.skip_metadata;
  if (connection_.version() < protocol::Version::kV5)
    return may_skip && entry.statement->is_stable() ? MetadataForm::kNone : MetadataForm::kFull;
  if (!std::ranges::equal(message.result_metadata_id, entry.compiled->result_id))
    return MetadataForm::kChanged;
  return may_skip ? MetadataForm::kNone : MetadataForm::kFull;
}

Arguments Session::arguments_of(const protocol::QueryParameters& parameters) {
  Arguments arguments;
  arguments.values = parameters.values;
  arguments.consistency = parameters.consistency;
  arguments.page_size = parameters.page_size;
  arguments.paging_state = parameters.paging_state;
  set_time(arguments, parameters.default_timestamp_us, parameters.now_seconds);
  return arguments;
}

void Session::set_time(Arguments& arguments, std::optional<int64_t> timestamp_us,
                       std::optional<int32_t> now_seconds) {
  arguments.now_us = now_seconds ? *now_seconds * (core::kNanosPerSecond / core::kNanosPerMicro)
                                 : worker_.now_us();
  arguments.timestamp_us = timestamp_us;
}

void Session::run(const CompiledPtr& compiled, protocol::Consistency consistency,
                  Arguments& arguments, const std::string& keyspace) {
  const auto& action = compiled->action;
  if (const auto* write = std::get_if<WritePlanPtr>(&action)) return run_write(**write, arguments);
  if (const auto* select = std::get_if<SelectPlanPtr>(&action)) {
    if (consistency == protocol::Consistency::kAny)
      return error(protocol::ErrorMessage::of(ErrorCode::kInvalid,
                                              "ANY ConsistencyLevel is only supported for writes"));
    return worker_.reader().execute(*select, arguments, to());
  }
  if (const auto* batch = std::get_if<BatchPlan>(&action)) return run_batch_text(*batch, arguments);
  if (const auto* use = std::get_if<cql::Use>(&action)) return run_use(use->keyspace);
  run_schema_change(compiled, keyspace);
}

// Without a timestamp of the client's, writes get one that no other write has.
void Session::run_write(const WritePlan& plan, Arguments& arguments) {
  if (protocol::is_serial(arguments.consistency) && !plan.is_conditional())
    return error(protocol::ErrorMessage::of(
        ErrorCode::kInvalid, "You must use conditional updates for serializable writes"));
  give_timestamp(arguments);
  worker_.writer().execute(plan, arguments, to());
}

void Session::give_timestamp(Arguments& arguments) {
  if (!arguments.timestamp_us)
    arguments.timestamp_us = worker_.database().next_timestamp_us(worker_.now_us());
}

void Session::run_use(const std::string& keyspace) {
  if (worker_.schema()->find_keyspace(keyspace) == nullptr)
    return error(protocol::ErrorMessage::of(ErrorCode::kInvalid,
                                            fmt::format("Keyspace '{}' does not exist", keyspace)));
  keyspace_ = keyspace;
  reply_result(to(), {protocol::SetKeyspace{keyspace}});
}

// The connection may be gone when the change is done: it is looked up by its number.
void Session::run_schema_change(const CompiledPtr& compiled, const std::string& keyspace) {
  const auto change = [&worker = worker_, number = connection_.number(), stream = header_.stream,
                       compiled, keyspace](bool is_refused) {
    const auto& statement = std::get<SchemaStatement>(compiled->action).statement;
    cql::Result<Catalog::Outcome> outcome =
        cql::fail(ErrorCode::kServerError, "the server is stopping");
    if (!is_refused) outcome = worker.database().catalog().execute(statement, keyspace);
    worker.post([&worker, number, stream, outcome = std::move(outcome)] {
      Connection* connection = worker.find(number);
      if (connection == nullptr) return;
      const ReplyTo reply_to{connection, stream};
      if (!outcome) return reply_error(reply_to, outcome.error());
      std::visit([&](const auto& result) { reply_result(reply_to, {result}); }, *outcome);
    });
  };
  if (worker_.database().changes().post(change)) return;
  error(protocol::ErrorMessage::of(
      ErrorCode::kOverloaded,
      fmt::format("{} schema changes are waiting already", kSchemaChangesWaitingMax)));
}

}  // namespace cqlperf::server
