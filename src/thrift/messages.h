#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cqlperf::thrift {

// What the calls of cassandra.thrift are made of, without the generated types, which do not leave
// this room. Views: valid as long as the bytes that they were read from or made of.
using ByteView = std::span<const uint8_t>;

enum class Consistency : int32_t {
  kOne = 1,
  kQuorum,
  kLocalQuorum,
  kEachQuorum,
  kAll,
  kAny,
  kTwo,
  kThree,
  kSerial,
  kLocalSerial,
  kLocalOne,
};

enum class Compression : int32_t {
  kGzip = 1,  // a zlib stream in fact
  kNone = 2,
};

// The calls, by the name on the wire (call_name()).
enum class Call : uint8_t {
  kLogin,
  kSetKeyspace,
  kGetSlice,
  kInsert,
  kAdd,
  kBatchMutate,
  kTruncate,
  kDescribeKeyspaces,
  kDescribeKeyspace,
  kDescribeClusterName,
  kDescribeVersion,
  kSystemAddColumnFamily,
  kSystemDropColumnFamily,
  kSystemAddKeyspace,
  kSystemDropKeyspace,
  kExecuteCqlQuery,
  kExecuteCql3Query,
  kPrepareCqlQuery,
  kPrepareCql3Query,
  kExecutePreparedCqlQuery,
  kExecutePreparedCql3Query,
  kSetCqlVersion,
};
inline constexpr size_t kCallCount = 22;
std::string_view call_name(Call call);
std::optional<Call> find_call(std::string_view name);

// A column to be written.
struct ColumnWrite {
  ByteView name = {};
  ByteView value = {};
  int64_t timestamp_us = 0;           // microseconds since 1970
  std::optional<int32_t> ttl_s = {};  // seconds, above 0
};
// An increment of a counter column.
struct CounterWrite {
  ByteView name = {};
  int64_t delta = 0;
};
// What batch_mutate writes to one row of one column family.
struct RowWrite {
  ByteView key = {};
  std::string_view column_family = {};
  std::span<const ColumnWrite> columns = {};
  std::span<const CounterWrite> counters = {};
};

// The columns from `start` to `finish` (both included, empty: no limit), at most `count` of them.
struct SliceRange {
  ByteView start = {};
  ByteView finish = {};
  bool reversed = false;
  int32_t count = 100;
};

// A column as get_slice answers it: of a counter only `name` and `counter` count.
struct Cell {
  ByteView name = {};
  ByteView value = {};
  int64_t timestamp_us = 0;
  int32_t ttl_s = 0;  // 0: never expires
  int64_t counter = 0;
  bool is_counter = false;
};

// A column of a row that CQL gave. Null and an empty value are told apart by `is_null`.
struct CqlCell {
  ByteView name = {};
  ByteView value = {};
  bool is_null = false;
};

// What prepare_cql3_query answers.
struct PreparedQuery {
  int32_t item_id = 0;
  int32_t variable_count = 0;
  std::vector<std::string_view> variable_types = {};  // class names, with their package
  std::vector<std::string_view> variable_names = {};
};

// What a server answers instead of a result.
struct Exception {
  enum class Kind : uint8_t {
    kInvalidRequest,
    kNotFound,
    kUnavailable,
    kTimedOut,
    kAuthentication,
    kAuthorization,
    kSchemaDisagreement,
    kApplication,  // TApplicationException: the call could not be made, or the server broke down
  };
  Kind kind = Kind::kApplication;
  std::string why = {};                         // of kinds that have one
  std::optional<int32_t> acknowledged_by = {};  // of kTimedOut
  int32_t application_type = 0;                 // of kApplication; see ApplicationError
};
// `InvalidRequestException`, ...
std::string_view exception_name(Exception::Kind kind);
// For people: `InvalidRequestException: why`.
std::string to_string(const Exception& exception);

// TApplicationException's types that are used here.
enum class ApplicationError : int32_t {
  kUnknownMethod = 1,
  kInvalidMessageType = 2,
  kInternalError = 6,
  kProtocolError = 7,
};

}  // namespace cqlperf::thrift
