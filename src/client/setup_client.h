#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/connection_options.h"
#include "client/topology.h"
#include "core/clock.h"
#include "core/result.h"
#include "net/endpoint.h"
#include "protocol/consistency.h"
#include "protocol/result.h"
#include "protocol/rows.h"

namespace cqlperf::client {

// CREATE, DROP and TRUNCATE wait for other nodes.
inline constexpr int64_t kSchemaTimeoutNs = 60 * core::kNanosPerSecond;

struct QueryAnswer {
  protocol::ResultKind kind = protocol::ResultKind::kVoid;
  protocol::Rows rows;                // of kRows
  std::vector<std::string> warnings;  // the server's
};

// A contact point that could not be used, and why.
struct DeadContactPoint {
  std::string name;  // as given, with the port
  core::Error error;
};

// Whether a SetupClient gives up when the user asks to stop. What must be cleaned up after that is
// done by one that does not.
enum class Interrupts { kObey, kIgnore };

// A connection for set-up: schema, topology, checks. Every call waits for its answer, up to a
// deadline, and gives kInterrupted within 100 ms of core::interrupted(), unless it is to ignore
// that (contact points are then best given as numbers: a name look-up obeys). It has an event loop
// of its own. Owner thread: the one that calls it; movable, also between threads.
class SetupClient {
 public:
  // Tries all addresses of all contact points at the same time and keeps the first that becomes
  // ready, within options.connect_timeout_ns (name look-ups have kResolveTimeoutNs before that).
  // When none does: kAuth when a server refused the login, else kConnect, with the reason of each.
  static core::Result<SetupClient> connect(const ConnectionOptions& options,
                                           const std::vector<net::Endpoint>& contact_points,
                                           Interrupts interrupts = Interrupts::kObey);
  SetupClient(SetupClient&&) noexcept;
  SetupClient& operator=(SetupClient&&) noexcept;
  ~SetupClient();

  // Those that had failed when the first one became ready.
  const std::vector<DeadContactPoint>& dead_contact_points() const;
  const net::SocketAddress& address() const;
  protocol::Version version() const;

  // One attempt; nothing is sent twice. kAuth (bad login, no permission), kServer (any other ERROR)
  // with the server's text, kTimeout, kConnect (the connection is lost), kProtocol.
  // Without a time-out, that of requests in the connection's options.
  core::Result<QueryAnswer> query(std::string_view cql, std::optional<int64_t> timeout_ns = {},
                                  protocol::Consistency consistency = protocol::Consistency::kOne);
  // After a query() that gave kInterrupted: waits for its answer all the same, for as long as
  // `timeout_ns`, so that what is sent next cannot overtake it.
  void await_interrupted_query(int64_t timeout_ns);
  // The code of the ERROR that the last query() got (protocol::ErrorCode); empty when it got none.
  std::optional<int32_t> last_error_code() const;

  // Waits until all nodes have the same schema version. Left out, with the reason in notes(): rows
  // of the peers table that name no usable node or no version, and nodes whose version differs for
  // a second and that then take no connection. At the deadline kTimeout with the versions and their
  // nodes.
  core::Status await_schema_agreement(int64_t timeout_ns = kSchemaTimeoutNs);
  // From system.local and system.peers_v2, or system.peers where that gives any error of the
  // server.
  core::Result<Topology> discover_topology();
  // What await_schema_agreement() left out so far, each once.
  const std::vector<std::string>& notes() const;

 private:
  struct State;
  explicit SetupClient(std::unique_ptr<State> state);
  core::Result<Topology> read_topology(int64_t timeout_ns);

  std::unique_ptr<State> state_;
};

}  // namespace cqlperf::client
