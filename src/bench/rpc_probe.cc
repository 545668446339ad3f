#include "bench/rpc_probe.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "client/rpc_session.h"
#include "core/clock.h"
#include "core/interrupt.h"
#include "net/event_loop.h"

namespace cqlperf::bench {
namespace {

constexpr int64_t kLookEveryNs = 100 * core::kNanosPerMilli;

// One call of describe_version.
class VersionCall final : public client::RpcClient {
 public:
  VersionCall(const net::SocketAddress& address, const client::ConnectionOptions& options)
      : session_(loop_, *this, session_options(address, options)) {}

  core::Result<std::string> run(int64_t deadline_ns);

 private:
  static client::RpcSessionOptions session_options(const net::SocketAddress& address,
                                                   const client::ConnectionOptions& connection) {
    client::RpcSessionOptions options;
    options.nodes = {address};
    options.connection = connection;
    options.connection.keyspace.clear();
    options.call = thrift::Call::kDescribeVersion;
    return options;
  }

  void write_call(uint32_t, int32_t seqid, int32_t, thrift::CallWriter& writer,
                  core::Buffer& out) override {
    writer.call_without_arguments(seqid, thrift::Call::kDescribeVersion, out);
  }
  void on_reply(uint32_t, const thrift::ReplyReader& reply, int64_t) override {
    answer_ = std::string(reply.text());
  }
  void on_failure(uint32_t, const client::RequestFailure& failure, bool, int64_t) override {
    answer_ = core::fail(core::ErrorCode::kConnect, std::string(failure.message));
  }

  net::EventLoop loop_;
  client::RpcSession session_;
  std::optional<core::Result<std::string>> answer_;
};

core::Result<std::string> VersionCall::run(int64_t deadline_ns) {
  session_.start();
  if (auto status = session_.wait_until_ready(deadline_ns); !status)
    return std::unexpected(status.error());
  session_.execute(0);
  session_.flush();
  while (!answer_) {
    if (core::interrupted())
      return core::fail(core::ErrorCode::kInterrupted, "interrupted while connecting");
    const int64_t now_ns = loop_.refresh_now();
    if (now_ns >= deadline_ns)
      return core::fail(core::ErrorCode::kTimeout, "describe_version was not answered in time");
    loop_.poll(std::min(deadline_ns, now_ns + kLookEveryNs));
  }
  return *answer_;
}

}  // namespace

core::Result<std::string> probe_rpc(const net::SocketAddress& address,
                                    const client::ConnectionOptions& options) {
  VersionCall call(address, options);
  return call.run(core::steady_clock().now_ns() + options.connect_timeout_ns);
}

}  // namespace cqlperf::bench
