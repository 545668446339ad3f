#include "server/handshake.h"

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/text.h"

namespace cqlperf::server {
namespace {

using protocol::ErrorCode;

// Looks at every byte of `given`, wherever the first difference is.
bool same_text(std::string_view given, std::string_view expected) {
  volatile uint8_t difference = given.size() == expected.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    const char other = expected.empty() ? '\0' : expected[i % expected.size()];
    difference = difference | static_cast<uint8_t>(given[i] ^ other);
  }
  return difference == 0;
}

struct PlainToken {
  std::string_view user;
  std::string_view password;
};

// [authorization identity] NUL user NUL password (RFC 4616).
std::optional<PlainToken> read_plain(std::string_view token) {
  const size_t first = token.find('\0');
  if (first == std::string_view::npos) return std::nullopt;
  const size_t second = token.find('\0', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  return PlainToken{token.substr(first + 1, second - first - 1), token.substr(second + 1)};
}

}  // namespace

const protocol::Supported& supported_options() {
  static const protocol::Supported supported{{{"COMPRESSION", {"lz4", "snappy"}},
                                              {"CQL_VERSION", {"3.4.7"}},
                                              {"PROTOCOL_VERSIONS", {"3/v3", "4/v4", "5/v5"}}}};
  return supported;
}

cql::Result<protocol::Compression> read_startup(const protocol::Startup& startup,
                                                protocol::Version version) {
  if (!startup.options.contains("CQL_VERSION"))
    return cql::fail(ErrorCode::kProtocolError, "Missing value CQL_VERSION in STARTUP message");
  const auto found = startup.options.find("COMPRESSION");
  if (found == startup.options.end() || found->second.empty()) return protocol::Compression::kNone;
  const auto compression = protocol::parse_compression(found->second);
  if (!compression)
    return cql::fail(ErrorCode::kProtocolError,
                     fmt::format("Unknown compression algorithm: {}; lz4 and snappy are supported",
                                 core::printable(found->second, 64)));
  if (!protocol::is_available(*compression, version))
    return cql::fail(ErrorCode::kProtocolError,
                     fmt::format("Compression {} is not supported in protocol v5: ask for lz4",
                                 protocol::compression_name(*compression)));
  return *compression;
}

cql::Status Credentials::check(const protocol::AuthResponse& response) const {
  const protocol::Bytes token = response.token.value_or(protocol::Bytes());
  const auto plain = read_plain({reinterpret_cast<const char*>(token.data()), token.size()});
  if (!plain)
    return cql::fail(ErrorCode::kBadCredentials,
                     "The login must be a SASL PLAIN token: NUL, user name, NUL, password");
  return check(plain->user, plain->password);
}

cql::Status Credentials::check(std::string_view user, std::string_view password) const {
  const bool user_is_right = same_text(user, user_);
  const bool password_is_right = same_text(password, password_);
  if (user_is_right && password_is_right) return {};
  return cql::fail(ErrorCode::kBadCredentials,
                   fmt::format("Provided username {} and/or password are incorrect",
                               core::printable(user, 256)));
}

}  // namespace cqlperf::server
