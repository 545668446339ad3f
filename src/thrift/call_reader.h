#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.h"
#include "thrift/messages.h"
#include "thrift/schema_defs.h"

namespace cqlperf::thrift {

// Which columns of a row: those named, or else those of a range. A client may say neither or both.
struct Predicate {
  bool has_names = false;
  std::vector<ByteView> names = {};
  std::optional<SliceRange> range = {};
};

// One change of one row, as insert, add and batch_mutate bring them.
struct Mutation {
  enum class Kind : uint8_t { kColumn, kCounter, kDeletion };

  Kind kind = Kind::kColumn;
  bool has_timestamp = false;
  bool has_ttl = false;
  bool has_value = false;      // of kColumn
  bool has_predicate = false;  // of kDeletion; without one, the whole row goes
  int32_t ttl_s = 0;
  uint32_t predicate = 0;  // CallMessage::predicates
  int64_t timestamp_us = 0;
  int64_t counter = 0;  // of kCounter
  ByteView name = {};
  ByteView value = {};
};
// The changes of one row in one column family: so many of CallMessage::mutations, in their order.
struct RowMutations {
  ByteView key = {};
  std::string_view column_family = {};
  uint32_t first = 0;
  uint32_t count = 0;
};

// A call with its arguments; those that it does not have are empty. Views its message.
struct CallMessage {
  Call call = Call::kLogin;
  int32_t seqid = 0;
  // The wrong in a mutation that the protocol does not see, in Cassandra's words; else empty.
  std::string invalid = {};

  std::string user = {};
  std::string password = {};
  std::string_view text = {};  // a keyspace, a column family, a version
  ByteView query = {};         // maybe compressed
  Compression compression = Compression::kNone;
  int32_t item_id = 0;
  std::vector<ByteView> values = {};
  Consistency consistency = Consistency::kOne;

  ByteView key = {};  // of get_slice
  std::string_view column_family = {};
  bool has_super_column = false;
  std::vector<Predicate> predicates = {};  // get_slice: one
  std::vector<RowMutations> rows = {};
  std::vector<Mutation> mutations = {};

  TableDef table = {};
  KeyspaceDef keyspace = {};
};

// What is answered with a TApplicationException, and the connection goes on.
struct Refusal {
  std::string name;  // of the call
  int32_t seqid = 0;
  ApplicationError type = ApplicationError::kProtocolError;
  std::string why;
};

// The server's side, receiving: reads calls. One owner thread; kept, so that the calls of an
// operation allocate nothing in the steady state.
class CallReader {
 public:
  // More in one call are refused, so that a message of nothing but small changes does not take many
  // times its size of memory.
  static constexpr size_t kMutationsMax = 500'000;
  static constexpr size_t kSchemaElementsMax = 65'536;

  CallReader();
  ~CallReader();
  CallReader(const CallReader&) = delete;
  CallReader& operator=(const CallReader&) = delete;

  using Received = std::variant<const CallMessage*, Refusal>;
  // `message` is the content of one frame. The call that it holds (valid until the next read()), or
  // why it is refused; kProtocol when the connection has to end: it is no message of the strict
  // binary protocol, no call, or it is cut off.
  core::Result<Received> read(ByteView message);

  // Gives memory back that a large call needed.
  void release();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cqlperf::thrift
