#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/connection.h"
#include "client/setup_client.h"
#include "core/result.h"
#include "net/event_loop.h"

// What a SetupClient holds; it stays in place while the client is moved.

namespace cqlperf::client {

struct SetupClient::State final : public Connection::Owner, public RequestHandler {
  // One address of one contact point.
  struct Attempt {
    std::string name;
    std::unique_ptr<Connection> connection;  // none when the name has no address
    net::SocketAddress address;
    std::optional<core::Error> error;
  };

  State(ConnectionOptions connection_options, Interrupts obey_interrupts);

  bool is_interrupted() const;

  // Polls until `done`, the deadline (kTimeout without text) or an interruption.
  core::Status wait_until(const std::function<bool()>& done, int64_t deadline_ns);

  void open_attempts(const std::vector<net::Endpoint>& contact_points);
  core::Status connect_first();
  core::Error connect_error() const;
  // Which of these addresses take a TCP connection within a second.
  core::Result<std::vector<bool>> probe(const std::vector<net::SocketAddress>& addresses);
  core::Status leave_out_unreachable(const std::vector<NodeInfo>& nodes);
  std::map<std::string, std::vector<const NodeInfo*>> schema_groups(std::vector<NodeInfo>& nodes);
  void note(std::string text);

  void on_ready(Connection& ready) override;
  void on_closed(Connection& closed, const core::Error& error) override;
  void on_response(uint64_t token, const protocol::Frame& frame, int64_t received_ns) override;
  void on_no_response(uint64_t token, RequestFault fault, std::string_view reason,
                      int64_t now_ns) override;

  ConnectionOptions options;
  Interrupts interrupts;
  int64_t query_timeout_ns;
  net::EventLoop loop;
  std::vector<Attempt> attempts;
  std::vector<DeadContactPoint> dead;
  std::unique_ptr<Connection> connection;
  Connection* first_ready = nullptr;
  std::optional<core::Error> lost;  // why the connection has ended

  // The query that is waited for: answers to earlier ones, which came too late, have another
  // number.
  uint64_t query_number = 0;
  std::optional<core::Result<QueryAnswer>> answer;
  std::optional<int32_t> error_code;

  bool has_peers_v2 = true;
  std::vector<std::string> notes;
  std::set<std::string> unreachable;  // nodes that agreement does not wait for
};

}  // namespace cqlperf::client
