#include "protocol/result.h"

#include <fmt/format.h>

namespace cqlperf::protocol {
namespace {

constexpr std::string_view kName = "RESULT";

struct ResultEncoder {
  Version version;
  core::Buffer& out;

  void operator()(const VoidResult&) const { append_kind(ResultKind::kVoid); }
  void operator()(const RowsView& rows) const { out.append(rows.body()); }
  void operator()(const SetKeyspace& result) const {
    append_kind(ResultKind::kSetKeyspace);
    append_string(out, result.keyspace);
  }
  void operator()(const Prepared& result) const {
    append_kind(ResultKind::kPrepared);
    append_short_bytes(out, result.id);
    if (version >= Version::kV5) append_short_bytes(out, result.result_metadata_id);
    result.bind.encode(version, out);
    result.result.encode(version, out);
  }
  void operator()(const SchemaChange& result) const {
    append_kind(ResultKind::kSchemaChange);
    result.encode(version, out);
  }

  void append_kind(ResultKind kind) const { out.append_i32(static_cast<int32_t>(kind)); }
};

core::Result<ResultMessage> read_prepared(Version version, core::ByteReader& in) {
  Prepared prepared;
  prepared.id = to_bytes(read_short_bytes(in));
  if (version >= Version::kV5) prepared.result_metadata_id = to_bytes(read_short_bytes(in));
  auto bind = BindMetadata::decode(version, in);
  if (!bind) return std::unexpected(std::move(bind.error()));
  prepared.bind = std::move(*bind);
  auto result = RowsMetadata::decode(version, in);
  if (!result) return std::unexpected(std::move(result.error()));
  prepared.result = std::move(*result);
  return ResultMessage{std::move(prepared)};
}

core::Result<ResultMessage> read_rows(Version version, ByteView body, core::ByteReader& in) {
  auto rows = RowsView::decode(version, body);
  if (!rows) return std::unexpected(std::move(rows.error()));
  in.read_rest();
  return ResultMessage{std::move(*rows)};
}

core::Result<ResultMessage> read_schema_change(Version version, core::ByteReader& in) {
  auto change = SchemaChange::decode(version, in);
  if (!change) return std::unexpected(std::move(change.error()));
  return ResultMessage{std::move(*change)};
}

core::Result<ResultMessage> read_result(Version version, ByteView body, core::ByteReader& in) {
  const int32_t kind = in.read_i32();
  switch (static_cast<ResultKind>(kind)) {
    case ResultKind::kVoid:
      return ResultMessage{VoidResult{}};
    case ResultKind::kRows:
      return read_rows(version, body, in);
    case ResultKind::kSetKeyspace:
      return ResultMessage{SetKeyspace{std::string(read_string(in))}};
    case ResultKind::kPrepared:
      return read_prepared(version, in);
    case ResultKind::kSchemaChange:
      return read_schema_change(version, in);
  }
  return malformed(kName, fmt::format("unknown kind {}, in a body of {} bytes", kind, body.size()));
}

}  // namespace

void ResultMessage::encode_body(Version version, core::Buffer& out) const {
  std::visit(ResultEncoder{version, out}, result);
}

core::Result<ResultMessage> ResultMessage::decode_body(Version version, ByteView body) {
  core::ByteReader in(body);
  auto message = read_result(version, body, in);
  if (!message) return message;
  return finish_body(kName, in, std::move(*message));
}

}  // namespace cqlperf::protocol
