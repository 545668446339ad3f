#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "cql/error.h"
#include "protocol/auth_response.h"
#include "protocol/compression.h"
#include "protocol/frame.h"
#include "protocol/startup.h"
#include "protocol/supported.h"

namespace cqlperf::server {

// What OPTIONS is answered with.
const protocol::Supported& supported_options();

// What STARTUP agrees on. Unknown options are ignored; the errors are protocol errors.
cql::Result<protocol::Compression> read_startup(const protocol::Startup& startup,
                                                protocol::Version version);

// The user that the server lets in; both are compared in a time that does not tell how much of them
// was right.
class Credentials {
 public:
  Credentials(std::string user, std::string password)
      : user_(std::move(user)), password_(std::move(password)) {}

  // Reads a token of SASL PLAIN. Empty: the user is in; else 0x0100.
  cql::Status check(const protocol::AuthResponse& response) const;
  cql::Status check(std::string_view user, std::string_view password) const;

 private:
  std::string user_;
  std::string password_;
};

}  // namespace cqlperf::server
