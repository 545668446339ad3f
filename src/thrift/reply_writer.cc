#include "thrift/reply_writer.h"

#include <utility>

#include <fmt/format.h>

#include "thrift/exceptions.h"
#include "thrift/frame.h"
#include "thrift/schema_wire.h"
#include "thrift/wire.h"

namespace cqlperf::thrift {
namespace {

constexpr int32_t kRows = 1;  // CqlResultType
constexpr int32_t kVoid = 2;
constexpr int16_t kSuccess = 0;  // the field of what a call gives

void write_text(WriteProtocol& out, int16_t id, std::string_view text) {
  out.writeFieldBegin("", tp::T_STRING, id);
  out.writeString(text);
}

void write_i32(WriteProtocol& out, int16_t id, int32_t value) {
  out.writeFieldBegin("", tp::T_I32, id);
  out.writeI32(value);
}

void write_cell(WriteProtocol& out, const Cell& cell) {
  out.writeFieldBegin("", tp::T_STRUCT, cell.is_counter ? 3 : 1);
  out.writeFieldBegin("", tp::T_STRING, 1);
  out.writeString(cell.name);
  if (cell.is_counter) {
    out.writeFieldBegin("", tp::T_I64, 2);
    out.writeI64(cell.counter);
  } else {
    out.writeFieldBegin("", tp::T_STRING, 2);
    out.writeString(cell.value);
    out.writeFieldBegin("", tp::T_I64, 3);
    out.writeI64(cell.timestamp_us);
    if (cell.ttl_s != 0) write_i32(out, 4, cell.ttl_s);
  }
  out.writeFieldStop();
  out.writeFieldStop();
}

void write_exception(WriteProtocol& out, int16_t field, const Exception& exception) {
  using Kind = Exception::Kind;
  out.writeFieldBegin("", tp::T_STRUCT, field);
  const bool has_why = exception.kind == Kind::kInvalidRequest ||
                       exception.kind == Kind::kAuthentication ||
                       exception.kind == Kind::kAuthorization;
  if (has_why) write_text(out, 1, exception.why);
  if (exception.acknowledged_by) write_i32(out, 1, *exception.acknowledged_by);
  out.writeFieldStop();
  out.writeFieldStop();
}

// CqlMetadata: a class for each column, names being UTF-8.
void write_metadata(WriteProtocol& out, std::span<const ReplyWriter::CqlColumn> columns) {
  const auto count = static_cast<uint32_t>(columns.size());
  out.writeFieldBegin("", tp::T_MAP, 1);
  out.writeMapBegin(tp::T_STRING, tp::T_STRING, count);
  for (const auto& column : columns) {
    out.writeString(column.name);
    out.writeString(std::string_view("UTF8Type"));
  }
  out.writeFieldBegin("", tp::T_MAP, 2);
  out.writeMapBegin(tp::T_STRING, tp::T_STRING, count);
  for (const auto& column : columns) {
    out.writeString(column.name);
    out.writeString(column.type);
  }
  write_text(out, 3, "UTF8Type");
  write_text(out, 4, "UTF8Type");
  out.writeFieldStop();
}

}  // namespace

struct ReplyWriter::Impl {
  WriteProtocol& begin(Call of, int32_t of_seqid, core::Buffer& to) {
    call = of;
    seqid = of_seqid;
    out = &to;
    start = to.size();
    return encoder.begin(to, wire_name(of), tp::T_REPLY, of_seqid);
  }
  void end();

  Encoder encoder;
  WriteProtocol* rows = nullptr;  // between begin_rows() and end_rows()
  // Of the reply at hand.
  Call call = Call::kLogin;
  int32_t seqid = 0;
  core::Buffer* out = nullptr;
  size_t start = 0;
};

void ReplyWriter::Impl::end() {
  if (encoder.end() <= kFrameBytesMax) return;
  out->truncate(start);
  Exception too_large;
  too_large.kind = Exception::Kind::kInvalidRequest;
  too_large.why = fmt::format(
      "The result is larger than {} MiB, which is more than a frame can hold: "
      "ask for fewer rows or columns",
      kFrameBytesMax >> 20);
  WriteProtocol& protocol = encoder.begin(*out, wire_name(call), tp::T_REPLY, seqid);
  const auto field = exception_field(call, Exception::Kind::kInvalidRequest).value_or(1);
  write_exception(protocol, field, too_large);
  encoder.end();
}

ReplyWriter::ReplyWriter() : impl_(std::make_unique<Impl>()) {}
ReplyWriter::~ReplyWriter() = default;

void ReplyWriter::nothing(Call call, int32_t seqid, core::Buffer& out) {
  impl_->begin(call, seqid, out).writeFieldStop();
  impl_->end();
}

void ReplyWriter::text(Call call, int32_t seqid, std::string_view text, core::Buffer& out) {
  WriteProtocol& protocol = impl_->begin(call, seqid, out);
  write_text(protocol, kSuccess, text);
  protocol.writeFieldStop();
  impl_->end();
}

void ReplyWriter::cells(int32_t seqid, std::span<const Cell> cells, core::Buffer& out) {
  WriteProtocol& protocol = impl_->begin(Call::kGetSlice, seqid, out);
  protocol.writeFieldBegin("", tp::T_LIST, kSuccess);
  protocol.writeListBegin(tp::T_STRUCT, static_cast<uint32_t>(cells.size()));
  for (const Cell& cell : cells) write_cell(protocol, cell);
  protocol.writeFieldStop();
  impl_->end();
}

void ReplyWriter::keyspace(int32_t seqid, const KeyspaceDef& keyspace, core::Buffer& out) {
  write_keyspace_result(impl_->begin(Call::kDescribeKeyspace, seqid, out), keyspace);
  impl_->end();
}

void ReplyWriter::keyspaces(int32_t seqid, std::span<const KeyspaceDef> keyspaces,
                            core::Buffer& out) {
  write_keyspaces_result(impl_->begin(Call::kDescribeKeyspaces, seqid, out), keyspaces);
  impl_->end();
}

void ReplyWriter::cql_void(Call call, int32_t seqid, core::Buffer& out) {
  WriteProtocol& protocol = impl_->begin(call, seqid, out);
  protocol.writeFieldBegin("", tp::T_STRUCT, kSuccess);
  write_i32(protocol, 1, kVoid);
  protocol.writeFieldStop();
  protocol.writeFieldStop();
  impl_->end();
}

void ReplyWriter::begin_rows(Call call, int32_t seqid, size_t row_count, core::Buffer& out) {
  WriteProtocol& protocol = impl_->begin(call, seqid, out);
  impl_->rows = &protocol;
  protocol.writeFieldBegin("", tp::T_STRUCT, kSuccess);
  write_i32(protocol, 1, kRows);
  protocol.writeFieldBegin("", tp::T_LIST, 2);
  protocol.writeListBegin(tp::T_STRUCT, static_cast<uint32_t>(row_count));
}

void ReplyWriter::append_row(std::span<const CqlColumn> columns,
                             std::span<const std::optional<ByteView>> values) {
  WriteProtocol& protocol = *impl_->rows;
  write_text(protocol, 1, {});  // the key, which is empty in answers to CQL
  protocol.writeFieldBegin("", tp::T_LIST, 2);
  protocol.writeListBegin(tp::T_STRUCT, static_cast<uint32_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    write_text(protocol, 1, columns[i].name);
    if (values[i]) {
      protocol.writeFieldBegin("", tp::T_STRING, 2);
      protocol.writeString(*values[i]);
    }
    protocol.writeFieldStop();
  }
  protocol.writeFieldStop();
}

void ReplyWriter::end_rows(std::span<const CqlColumn> columns) {
  WriteProtocol& protocol = *impl_->rows;
  protocol.writeFieldBegin("", tp::T_STRUCT, 4);
  write_metadata(protocol, columns);
  protocol.writeFieldStop();
  protocol.writeFieldStop();
  impl_->end();
}

void ReplyWriter::prepared(Call call, int32_t seqid, int32_t item_id,
                           std::span<const CqlColumn> variables, core::Buffer& out) {
  const auto count = static_cast<uint32_t>(variables.size());
  WriteProtocol& protocol = impl_->begin(call, seqid, out);
  protocol.writeFieldBegin("", tp::T_STRUCT, kSuccess);
  write_i32(protocol, 1, item_id);
  write_i32(protocol, 2, static_cast<int32_t>(count));
  protocol.writeFieldBegin("", tp::T_LIST, 3);
  protocol.writeListBegin(tp::T_STRING, count);
  for (const CqlColumn& variable : variables) protocol.writeString(variable.type);
  protocol.writeFieldBegin("", tp::T_LIST, 4);
  protocol.writeListBegin(tp::T_STRING, count);
  for (const CqlColumn& variable : variables) protocol.writeString(variable.name);
  protocol.writeFieldStop();
  protocol.writeFieldStop();
  impl_->end();
}

void ReplyWriter::exception(Call call, int32_t seqid, const Exception& exception,
                            core::Buffer& out) {
  const auto field = exception_field(call, exception.kind);
  if (!field) {
    const bool is_application = exception.kind == Exception::Kind::kApplication;
    const auto type = is_application ? static_cast<ApplicationError>(exception.application_type)
                                     : ApplicationError::kInternalError;
    return refusal(call_name(call), seqid, type,
                   is_application ? exception.why : to_string(exception), out);
  }
  write_exception(impl_->begin(call, seqid, out), *field, exception);
  impl_->end();
}

void ReplyWriter::refusal(std::string_view name, int32_t seqid, ApplicationError type,
                          std::string_view why, core::Buffer& out) {
  WriteProtocol& protocol = impl_->encoder.begin(out, std::string(name), tp::T_EXCEPTION, seqid);
  write_text(protocol, 1, why);
  write_i32(protocol, 2, static_cast<int32_t>(type));
  protocol.writeFieldStop();
  impl_->encoder.end();
}

}  // namespace cqlperf::thrift
