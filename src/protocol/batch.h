#pragma once

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/query_parameters.h"

namespace cqlperf::protocol {

enum class BatchType : uint8_t { kLogged = 0, kUnlogged = 1, kCounter = 2 };

// One statement of a batch: text or the id of a prepared statement, and its values. Views both.
struct BatchStatement {
  std::variant<std::string_view, ByteView> query_or_id;
  std::vector<Value> values = {};
};

// BATCH (section 4.1.7). At most kShortMax statements. Named values are an error: the specification
// places them where a server cannot read them (CASSANDRA-10246).
struct Batch {
  static constexpr Opcode kOpcode = Opcode::kBatch;

  BatchType type = BatchType::kLogged;
  std::vector<BatchStatement> statements = {};
  Consistency consistency = Consistency::kOne;
  std::optional<Consistency> serial_consistency = {};
  std::optional<int64_t> default_timestamp_us = {};
  // v5, as in QueryParameters.
  std::optional<std::string_view> keyspace = {};
  std::optional<int32_t> now_seconds = {};

  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<Batch> decode_body(Version version, ByteView body);
};

}  // namespace cqlperf::protocol
