#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/buffer.h"
#include "thrift/messages.h"
#include "thrift/schema_defs.h"

namespace cqlperf::thrift {

// The server's side, sending: each function appends one reply as one frame. A reply that is larger
// than kFrameBytesMax becomes an InvalidRequestException that says so. One owner thread; kept.
class ReplyWriter {
 public:
  ReplyWriter();
  ~ReplyWriter();
  ReplyWriter(const ReplyWriter&) = delete;
  ReplyWriter& operator=(const ReplyWriter&) = delete;

  // Of calls that give nothing.
  void nothing(Call call, int32_t seqid, core::Buffer& out);
  void text(Call call, int32_t seqid, std::string_view text, core::Buffer& out);
  void cells(int32_t seqid, std::span<const Cell> cells, core::Buffer& out);
  void keyspace(int32_t seqid, const KeyspaceDef& keyspace, core::Buffer& out);
  void keyspaces(int32_t seqid, std::span<const KeyspaceDef> keyspaces, core::Buffer& out);

  // CqlResult of type VOID, and of type ROWS: begin_rows(), then append_row() for each of
  // `row_count`, then end_rows(). Nulls have no value.
  void cql_void(Call call, int32_t seqid, core::Buffer& out);
  struct CqlColumn {
    std::string name;
    std::string type;  // a class name, with its package
  };
  void begin_rows(Call call, int32_t seqid, size_t row_count, core::Buffer& out);
  void append_row(std::span<const CqlColumn> columns,
                  std::span<const std::optional<ByteView>> values);
  void end_rows(std::span<const CqlColumn> columns);

  void prepared(Call call, int32_t seqid, int32_t item_id, std::span<const CqlColumn> variables,
                core::Buffer& out);

  // An exception that the call does not declare travels as a TApplicationException.
  void exception(Call call, int32_t seqid, const Exception& exception, core::Buffer& out);
  void refusal(std::string_view name, int32_t seqid, ApplicationError type, std::string_view why,
               core::Buffer& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cqlperf::thrift
