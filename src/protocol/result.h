#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/buffer.h"
#include "core/result.h"
#include "protocol/frame.h"
#include "protocol/metadata.h"
#include "protocol/rows.h"
#include "protocol/schema_change.h"
#include "protocol/strings.h"

namespace cqlperf::protocol {

enum class ResultKind : int32_t {
  kVoid = 1,
  kRows = 2,
  kSetKeyspace = 3,
  kPrepared = 4,
  kSchemaChange = 5,
};

struct VoidResult {
  bool operator==(const VoidResult&) const = default;
};

struct SetKeyspace {
  std::string keyspace;
  bool operator==(const SetKeyspace&) const = default;
};

struct Prepared {
  Bytes id;
  BindMetadata bind = {};
  RowsMetadata result = {};  // without columns for all but SELECT
  // v5: names `result`; EXECUTE repeats it, and a server whose metadata has changed since tells.
  Bytes result_metadata_id = {};
  bool operator==(const Prepared&) const = default;
};

// RESULT (section 4.2.5). Rows are a view of the body (rows.h); the rest owns what it holds.
struct ResultMessage {
  static constexpr Opcode kOpcode = Opcode::kResult;

  std::variant<VoidResult, RowsView, SetKeyspace, Prepared, SchemaChange> result;

  ResultKind kind() const { return static_cast<ResultKind>(result.index() + 1); }
  template <class Kind>
  const Kind* as() const {
    return std::get_if<Kind>(&result);
  }

  // A RowsView is written as the bytes that it views.
  void encode_body(Version version, core::Buffer& out) const;
  static core::Result<ResultMessage> decode_body(Version version, ByteView body);
};

// The kind of a RESULT body, std::nullopt when it is too short or has an unknown kind. For the hot
// path: reads the first four bytes only.
inline std::optional<ResultKind> peek_result_kind(ByteView body) {
  if (body.size() < 4 || body[0] != 0 || body[1] != 0 || body[2] != 0) return std::nullopt;
  if (body[3] < 1 || body[3] > 5) return std::nullopt;
  return static_cast<ResultKind>(body[3]);
}

}  // namespace cqlperf::protocol
