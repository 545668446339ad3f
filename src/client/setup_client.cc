#include "client/setup_client.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "client/setup_state.h"
#include "core/interrupt.h"
#include "core/units.h"
#include "protocol/envelope.h"
#include "protocol/error.h"
#include "protocol/query.h"

namespace cqlperf::client {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using core::Status;
using protocol::Frame;

constexpr int64_t kInterruptCheckNs = 100 * core::kNanosPerMilli;
// Deadlines are those of query(); the connection itself never gives up a request.
constexpr int64_t kNoRequestTimeoutNs = 365 * 86'400 * core::kNanosPerSecond;

std::string shorten(std::string_view cql) {
  constexpr size_t kShown = 100;
  return cql.size() <= kShown ? std::string(cql) : std::string(cql.substr(0, kShown)) + "...";
}

Result<QueryAnswer> decode_answer(const Frame& frame, std::optional<int32_t>& error_code) {
  auto envelope = protocol::split_response(frame);
  if (!envelope) return std::unexpected(envelope.error());
  const protocol::Version version = frame.header.version;
  if (frame.header.opcode == protocol::Opcode::kError) {
    const auto error = protocol::ErrorMessage::decode_body(version, envelope->body);
    if (!error) return std::unexpected(error.error());
    error_code = error->code;
    const bool refused = error->is(protocol::ErrorCode::kUnauthorized) ||
                         error->is(protocol::ErrorCode::kBadCredentials);
    return core::fail(refused ? ErrorCode::kAuth : ErrorCode::kServer, error->describe());
  }
  if (frame.header.opcode != protocol::Opcode::kResult)
    return core::fail(ErrorCode::kProtocol,
                      fmt::format("QUERY was answered with {}", opcode_name(frame.header.opcode)));
  const auto message = protocol::ResultMessage::decode_body(version, envelope->body);
  if (!message) return std::unexpected(message.error());
  QueryAnswer answer{message->kind(), {}, std::move(envelope->warnings)};
  if (const auto* rows = message->as<protocol::RowsView>()) answer.rows = protocol::Rows(*rows);
  return answer;
}

}  // namespace

SetupClient::State::State(ConnectionOptions connection_options, Interrupts obey_interrupts)
    : options(std::move(connection_options)),
      interrupts(obey_interrupts),
      query_timeout_ns(options.request_timeout_ns) {
  options.request_timeout_ns = kNoRequestTimeoutNs;
}

bool SetupClient::State::is_interrupted() const {
  return interrupts == Interrupts::kObey && core::interrupted();
}

Status SetupClient::State::wait_until(const std::function<bool()>& done, int64_t deadline_ns) {
  while (!done()) {
    if (is_interrupted()) return core::fail(ErrorCode::kInterrupted, "interrupted");
    const int64_t now_ns = loop.refresh_now();
    if (now_ns >= deadline_ns) return core::fail(ErrorCode::kTimeout, "");
    loop.poll(std::min(deadline_ns, now_ns + kInterruptCheckNs));
  }
  return {};
}

// All names are looked up before the first connection is opened: their deadlines run from then.
void SetupClient::State::open_attempts(const std::vector<net::Endpoint>& contact_points) {
  const auto results = net::resolve_all(contact_points);
  for (size_t i = 0; i < contact_points.size(); i++) {
    const std::string name = net::format_endpoint(contact_points[i]);
    if (!results[i]) attempts.push_back({name, nullptr, {}, results[i].error()});
    for (const net::SocketAddress& address : results[i].value_or(std::vector<net::SocketAddress>()))
      attempts.push_back({name, std::make_unique<Connection>(loop, *this, options), address, {}});
  }
  for (Attempt& attempt : attempts)
    if (attempt.connection) attempt.connection->open(attempt.address);
}

// The losers are closed only here, after poll() has returned: not inside a callback.
Status SetupClient::State::connect_first() {
  const int64_t deadline_ns =
      loop.refresh_now() + options.connect_timeout_ns + core::kNanosPerSecond;
  const auto settled = [&] {
    return first_ready || std::ranges::all_of(attempts, [](const Attempt& attempt) {
             return attempt.error.has_value();
           });
  };
  if (const Status waited = wait_until(settled, deadline_ns); !waited) return waited;
  if (!first_ready) return std::unexpected(connect_error());
  for (Attempt& attempt : attempts) {
    if (attempt.error) dead.push_back({attempt.name, *attempt.error});
    if (attempt.connection.get() == first_ready) connection = std::move(attempt.connection);
  }
  attempts.clear();
  return {};
}

Error SetupClient::State::connect_error() const {
  Error error{ErrorCode::kConnect, "no contact point can be used:"};
  for (const Attempt& attempt : attempts) {
    if (attempt.error->code == ErrorCode::kAuth) error.code = ErrorCode::kAuth;
    const bool is_named = attempt.error->message.find(attempt.name) != std::string::npos;
    error.message +=
        fmt::format("\n  {}{}", is_named ? "" : attempt.name + ": ", attempt.error->message);
  }
  return error;
}

void SetupClient::State::on_ready(Connection& ready) {
  if (!first_ready) first_ready = &ready;
}

void SetupClient::State::on_closed(Connection& closed, const Error& error) {
  if (&closed == connection.get()) lost = error;
  if (&closed == first_ready && !connection) first_ready = nullptr;
  for (Attempt& attempt : attempts)
    if (attempt.connection.get() == &closed) attempt.error = error;
}

void SetupClient::State::on_response(uint64_t token, const Frame& frame, int64_t) {
  if (token == query_number) answer = decode_answer(frame, error_code);
}

void SetupClient::State::on_no_response(uint64_t token, RequestFault, std::string_view reason,
                                        int64_t) {
  if (token == query_number) answer = core::fail(ErrorCode::kConnect, std::string(reason));
}

Result<SetupClient> SetupClient::connect(const ConnectionOptions& options,
                                         const std::vector<net::Endpoint>& contact_points,
                                         Interrupts interrupts) {
  auto state = std::make_unique<State>(options, interrupts);
  state->open_attempts(contact_points);
  if (state->is_interrupted())
    return core::fail(ErrorCode::kInterrupted, "interrupted while connecting");
  if (Status connected = state->connect_first(); !connected)
    return std::unexpected(std::move(connected.error()));
  return SetupClient(std::move(state));
}

SetupClient::SetupClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
SetupClient::SetupClient(SetupClient&&) noexcept = default;
SetupClient& SetupClient::operator=(SetupClient&&) noexcept = default;
SetupClient::~SetupClient() = default;

const std::vector<DeadContactPoint>& SetupClient::dead_contact_points() const {
  return state_->dead;
}
const net::SocketAddress& SetupClient::address() const { return state_->connection->address(); }
protocol::Version SetupClient::version() const { return state_->connection->version(); }
std::optional<int32_t> SetupClient::last_error_code() const { return state_->error_code; }
const std::vector<std::string>& SetupClient::notes() const { return state_->notes; }

Result<QueryAnswer> SetupClient::query(std::string_view cql, std::optional<int64_t> limit_ns,
                                       protocol::Consistency consistency) {
  State& state = *state_;
  const int64_t timeout_ns = limit_ns.value_or(state.query_timeout_ns);
  state.answer.reset();
  state.error_code.reset();
  state.query_number++;
  const int64_t deadline_ns = state.loop.refresh_now() + timeout_ns;
  const auto stream = state.connection->begin_request(state, state.query_number);
  if (!stream)
    return core::fail(ErrorCode::kConnect,
                      state.lost ? state.lost->message : "too many queries wait for an answer");
  protocol::Query query{cql};
  query.parameters.consistency = consistency;
  protocol::append_frame(state.connection->output(), state.connection->version(), *stream, query);
  state.connection->flush();

  const Status waited = state.wait_until([&] { return state.answer.has_value(); }, deadline_ns);
  const std::string context =
      fmt::format("`{}` on {}", shorten(cql), state.connection->address().to_string());
  if (!waited && waited.error().code == ErrorCode::kTimeout)
    return core::fail(ErrorCode::kTimeout,
                      fmt::format("no answer to {} within {}", context,
                                  core::format_duration_ns(static_cast<double>(timeout_ns))));
  if (!waited) return std::unexpected(waited.error());
  if (*state.answer) return std::move(*state.answer);
  const Error& error = state.answer->error();
  return core::fail(error.code, fmt::format("{} ({})", error.message, context));
}

void SetupClient::await_interrupted_query(int64_t timeout_ns) {
  State& state = *state_;
  const Interrupts before = std::exchange(state.interrupts, Interrupts::kIgnore);
  // Whether it came in time or not: nothing more can be done here.
  (void)state.wait_until([&] { return state.answer.has_value(); },
                         state.loop.refresh_now() + timeout_ns);
  state.interrupts = before;
}

}  // namespace cqlperf::client
