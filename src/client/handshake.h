#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/connection_options.h"
#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/strings.h"

namespace cqlperf::client {

// The exchange that makes a connection usable, without any I/O: OPTIONS, STARTUP, a login by SASL
// PLAIN when the server asks for one, and USE. One request at a time, on stream 0.
class Handshake {
 public:
  enum class Step {
    kWait,             // the next request is in `out`
    kReady,            // done
    kTryOlderVersion,  // connect again with older_version()
  };

  // `peer` names the server in errors; `options` must outlive this.
  Handshake(const ConnectionOptions& options, protocol::Version version, std::string peer)
      : options_(options), version_(version), peer_(std::move(peer)) {}

  // True when the server has taken STARTUP: what the version and the compression ask for begins
  // with the next byte, in both directions. Call it before on_response().
  bool is_startup_taken(const protocol::Frame& frame) const;

  // Appends the first request.
  void start(core::Buffer& out);
  // Takes the server's next answer. Errors: kAuth (the login was refused, or is demanded and none
  // was given), kSetup (no such keyspace or compression), kProtocol (anything that does not belong
  // here), kServer.
  core::Result<Step> on_response(const protocol::Frame& frame, core::Buffer& out);

  protocol::Version version() const { return version_; }
  // After kTryOlderVersion.
  protocol::Version older_version() const { return older_version_; }
  // What the server was asked for last: `OPTIONS`.
  std::string_view waiting_for() const;

 private:
  enum class State { kOptions, kStartup, kLogin, kUse };

  core::Result<Step> on_error(const protocol::Frame& frame);
  core::Result<Step> on_supported(const protocol::Frame& frame, core::Buffer& out);
  core::Result<Step> on_authenticate(const protocol::Frame& frame, core::Buffer& out);
  core::Result<Step> on_logged_in(core::Buffer& out);
  core::Result<Step> on_keyspace_set(const protocol::Frame& frame);
  core::Result<Step> unexpected(const protocol::Frame& frame) const;
  core::Result<Step> refused_version(protocol::Version header, std::string_view text);
  core::Result<Step> missing_compression(const protocol::StringList& offered) const;

  const ConnectionOptions& options_;
  protocol::Version version_;
  protocol::Version older_version_ = protocol::kVersionMin;
  std::string peer_;
  State state_ = State::kOptions;
};

}  // namespace cqlperf::client
