#include "client/handshake.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "protocol/auth_response.h"
#include "protocol/authenticate.h"
#include "protocol/envelope.h"
#include "protocol/error.h"
#include "protocol/negotiation.h"
#include "protocol/options.h"
#include "protocol/query.h"
#include "protocol/result.h"
#include "protocol/startup.h"
#include "protocol/supported.h"

namespace cqlperf::client {
namespace {

using core::ErrorCode;
using core::Result;
using protocol::Frame;
using protocol::Opcode;

constexpr int16_t kStream = 0;
// CQL 3, which every server with protocol v3 speaks.
constexpr const char* kOldestCqlVersion = "3.0.0";
constexpr const char* kDriverName = "cqlperf";
constexpr const char* kDriverVersion = "0.1.0";
const protocol::StringList kNoNames;

// Always quoted: that is right for every name, on every server.
std::string use_statement(std::string_view keyspace) {
  std::string cql = "USE \"";
  for (const char c : keyspace) cql.append(c == '"' ? 2 : 1, c);
  return cql + '"';
}

// The message itself, without what the frame's flags announce.
protocol::ByteView message_body(const Frame& frame) {
  if (frame.header.flags == 0) return frame.body;
  const auto envelope = protocol::split_response(frame);
  return envelope ? envelope->body : frame.body;
}

bool is_about_version(int32_t code, std::string_view text) {
  if (code == static_cast<int32_t>(protocol::ErrorCode::kProtocolError)) return true;
  return code == static_cast<int32_t>(protocol::ErrorCode::kServerError) &&
         (text.find("protocol version") != std::string_view::npos ||
          text.find("version of the protocol") != std::string_view::npos);
}

}  // namespace

void Handshake::start(core::Buffer& out) {
  protocol::append_frame(out, version_, kStream, protocol::Options{});
}

std::string_view Handshake::waiting_for() const {
  switch (state_) {
    case State::kOptions:
      return "OPTIONS";
    case State::kStartup:
      return "STARTUP";
    case State::kLogin:
      return "AUTH_RESPONSE";
    case State::kUse:
      return "USE";
  }
  return "";
}

bool Handshake::is_startup_taken(const Frame& frame) const {
  const bool answers =
      frame.header.opcode == Opcode::kReady || frame.header.opcode == Opcode::kAuthenticate;
  return state_ == State::kStartup && answers && frame.header.version == version_;
}

Result<Handshake::Step> Handshake::on_response(const Frame& frame, core::Buffer& out) {
  if (frame.header.opcode == Opcode::kError) return on_error(frame);
  if (frame.header.version != version_)
    return core::fail(
        ErrorCode::kProtocol,
        fmt::format("{} answered a request of protocol version {} with version {}", peer_,
                    static_cast<int>(version_), static_cast<int>(frame.header.version)));
  switch (state_) {
    case State::kOptions:
      return on_supported(frame, out);
    case State::kStartup:
      if (frame.header.opcode == Opcode::kReady) return on_logged_in(out);
      return on_authenticate(frame, out);
    case State::kLogin:
      if (frame.header.opcode == Opcode::kAuthSuccess) return on_logged_in(out);
      return unexpected(frame);
    case State::kUse:
      return on_keyspace_set(frame);
  }
  return unexpected(frame);
}

Result<Handshake::Step> Handshake::on_supported(const Frame& frame, core::Buffer& out) {
  if (frame.header.opcode != Opcode::kSupported) return unexpected(frame);
  const auto supported = protocol::Supported::decode_body(version_, message_body(frame));
  if (!supported)
    return core::fail(supported.error().code,
                      fmt::format("{}: {}", peer_, supported.error().message));
  protocol::Startup startup;
  const auto cql = supported->options.find("CQL_VERSION");
  const bool named = cql != supported->options.end() && !cql->second.empty();
  startup.options = {{"CQL_VERSION", named ? cql->second.front() : kOldestCqlVersion},
                     {"DRIVER_NAME", kDriverName},
                     {"DRIVER_VERSION", kDriverVersion}};
  if (options_.compression != protocol::Compression::kNone) {
    const auto offered = supported->options.find("COMPRESSION");
    const auto& names = offered == supported->options.end() ? kNoNames : offered->second;
    const std::string name(protocol::compression_name(options_.compression));
    if (std::ranges::find(names, name) == names.end()) return missing_compression(names);
    startup.options["COMPRESSION"] = name;
  }
  protocol::append_frame(out, version_, kStream, startup);
  state_ = State::kStartup;
  return Step::kWait;
}

Result<Handshake::Step> Handshake::on_authenticate(const Frame& frame, core::Buffer& out) {
  if (frame.header.opcode != Opcode::kAuthenticate) return unexpected(frame);
  if (!options_.credentials) {
    const auto demand = protocol::Authenticate::decode_body(version_, message_body(frame));
    return core::fail(
        ErrorCode::kAuth,
        fmt::format("{} demands a login ({}): give one with --user and --password", peer_,
                    demand ? demand->authenticator : "no authenticator named"));
  }
  const Credentials& login = *options_.credentials;
  protocol::append_frame(out, version_, kStream,
                         protocol::plain_auth_response(login.user, login.password));
  state_ = State::kLogin;
  return Step::kWait;
}

Result<Handshake::Step> Handshake::on_logged_in(core::Buffer& out) {
  if (options_.keyspace.empty()) return Step::kReady;
  const std::string cql = use_statement(options_.keyspace);
  protocol::append_frame(out, version_, kStream, protocol::Query{cql});
  state_ = State::kUse;
  return Step::kWait;
}

Result<Handshake::Step> Handshake::on_keyspace_set(const Frame& frame) {
  const bool is_result = frame.header.opcode == Opcode::kResult;
  const auto kind = protocol::peek_result_kind(message_body(frame));
  if (!is_result || kind != protocol::ResultKind::kSetKeyspace) return unexpected(frame);
  return Step::kReady;
}

Result<Handshake::Step> Handshake::on_error(const Frame& frame) {
  const auto head = protocol::peek_error(message_body(frame));
  if (!head)
    return core::fail(ErrorCode::kProtocol,
                      fmt::format("{} answered {} with a broken ERROR", peer_, waiting_for()));
  const bool early = state_ == State::kOptions || state_ == State::kStartup;
  const bool other_version = frame.header.version != version_;
  if (early && (other_version || is_about_version(head->code, head->message)))
    return refused_version(frame.header.version, head->message);

  const auto code = static_cast<protocol::ErrorCode>(head->code);
  const std::string_view name = protocol::error_name(head->code);
  if (code == protocol::ErrorCode::kBadCredentials || code == protocol::ErrorCode::kUnauthorized) {
    const std::string user = options_.credentials ? options_.credentials->user : "nobody";
    return core::fail(ErrorCode::kAuth, fmt::format("{} refused {} of user `{}`: {}: {}", peer_,
                                                    state_ == State::kUse ? "the USE" : "the login",
                                                    user, name, head->message));
  }
  return core::fail(
      state_ == State::kUse ? ErrorCode::kSetup : ErrorCode::kServer,
      fmt::format("{} answered {} with {}: {}", peer_, waiting_for(), name, head->message));
}

Result<Handshake::Step> Handshake::missing_compression(const protocol::StringList& offered) const {
  return core::fail(
      ErrorCode::kSetup,
      fmt::format("{} does not offer the compression {}, but {}: choose another --compression",
                  peer_, protocol::compression_name(options_.compression),
                  offered.empty() ? "none" : fmt::format("{}", fmt::join(offered, ", "))));
}

Result<Handshake::Step> Handshake::refused_version(protocol::Version header,
                                                   std::string_view text) {
  if (const auto older = protocol::older_version(version_, header, text)) {
    older_version_ = *older;
    return Step::kTryOlderVersion;
  }
  return core::fail(ErrorCode::kProtocol,
                    fmt::format("{} speaks no protocol version that cqlperf does ({} to {}): {}",
                                peer_, static_cast<int>(protocol::kVersionMin),
                                static_cast<int>(protocol::kVersionMax), text));
}

Result<Handshake::Step> Handshake::unexpected(const Frame& frame) const {
  return core::fail(ErrorCode::kProtocol,
                    fmt::format("{} answered {} with {}", peer_, waiting_for(),
                                protocol::opcode_name(frame.header.opcode)));
}

}  // namespace cqlperf::client
