#include "thrift/reply_reader.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "thrift/exceptions.h"
#include "thrift/wire.h"

namespace cqlperf::thrift {
namespace {

// The smallest that one can be on the wire, in bytes: what a count of them must have room for.
constexpr size_t kColumnOrSuperColumnMin = 3 + 3 + 4 + 1 + 1;
constexpr size_t kCqlRowMin = 3 + 4 + 3 + 5 + 1;
constexpr size_t kColumnMin = 3 + 4 + 1;
constexpr size_t kTextMin = 4;

void read_column(ReadProtocol& in, Cell& cell) {
  RequiredFields required;
  in.fields([&](int16_t id, tp::TType type) {
    required.found(id);
    if (id == 1 && type == tp::T_STRING) return cell.name = in.view(), true;
    if (id == 2 && type == tp::T_STRING) return cell.value = in.view(), true;
    if (id == 3 && type == tp::T_I64) return cell.timestamp_us = in.i64(), true;
    if (id == 4 && type == tp::T_I32) return cell.ttl_s = in.i32(), true;
    return false;
  });
  required.check(1, "name");
}

void read_counter(ReadProtocol& in, Cell& cell) {
  RequiredFields required;
  cell.is_counter = true;
  in.fields([&](int16_t id, tp::TType type) {
    required.found(id);
    if (id == 1 && type == tp::T_STRING) return cell.name = in.view(), true;
    if (id == 2 && type == tp::T_I64) return cell.counter = in.i64(), true;
    return false;
  });
  required.check(1, "name");
  required.check(2, "value");
}

void read_cql_column(ReadProtocol& in, CqlCell& cell) {
  RequiredFields required;
  cell.is_null = true;
  in.fields([&](int16_t id, tp::TType type) {
    required.found(id);
    if (type != tp::T_STRING) return false;
    if (id == 1) return cell.name = in.view(), true;
    if (id != 2) return false;
    cell.value = in.view();
    cell.is_null = false;
    return true;
  });
  required.check(1, "name");
}

core::Error protocol_error(std::string why) { return {core::ErrorCode::kProtocol, std::move(why)}; }

}  // namespace

struct ReplyReader::Impl {
  Outcome read_message(Call call, ByteView message);
  Outcome read_result(Call call);
  bool read_success(Call call, tp::TType type);
  void read_cells();
  void read_cql_result();
  void read_rows();
  void read_row();
  void read_prepared();
  void read_texts(std::vector<std::string_view>& into);
  void forget();

  Decoder decoder;
  ReadProtocol& in = decoder.protocol;
  int32_t seqid = 0;
  Exception exception;
  std::vector<Cell> cells;
  std::vector<CqlCell> cql_cells;
  std::vector<size_t> row_ends;  // in cql_cells
  PreparedQuery prepared;
  std::string_view text;
};

void ReplyReader::Impl::forget() {
  seqid = 0;
  cells.clear();
  cql_cells.clear();
  row_ends.clear();
  prepared.item_id = prepared.variable_count = 0;
  prepared.variable_types.clear();
  prepared.variable_names.clear();
  text = {};
}

void ReplyReader::Impl::read_cells() {
  const uint32_t count = in.list(tp::T_STRUCT, kColumnOrSuperColumnMin);
  for (uint32_t i = 0; i < count; ++i) {
    bool is_known = false;
    Cell& cell = cells.emplace_back();
    in.fields([&](int16_t id, tp::TType type) {
      if (type != tp::T_STRUCT || (id != 1 && id != 3)) return false;
      id == 1 ? read_column(in, cell) : read_counter(in, cell);
      return is_known = true;
    });
    if (!is_known) throw_missing("column");
  }
}

void ReplyReader::Impl::read_row() {
  in.fields([&](int16_t id, tp::TType type) {
    if (id != 2 || type != tp::T_LIST) return false;
    for (uint32_t left = in.list(tp::T_STRUCT, kColumnMin); left > 0; --left) {
      read_cql_column(in, cql_cells.emplace_back());
    }
    return true;
  });
  row_ends.push_back(cql_cells.size());
}

void ReplyReader::Impl::read_rows() {
  for (uint32_t left = in.list(tp::T_STRUCT, kCqlRowMin); left > 0; --left) read_row();
}

void ReplyReader::Impl::read_cql_result() {
  in.fields([&](int16_t id, tp::TType type) {
    if (id != 2 || type != tp::T_LIST) return false;
    read_rows();
    return true;
  });
}

void ReplyReader::Impl::read_texts(std::vector<std::string_view>& into) {
  for (uint32_t left = in.list(tp::T_STRING, kTextMin); left > 0; --left) into.push_back(in.text());
}

void ReplyReader::Impl::read_prepared() {
  in.fields([&](int16_t id, tp::TType type) {
    if (id == 1 && type == tp::T_I32) return prepared.item_id = in.i32(), true;
    if (id == 2 && type == tp::T_I32) return prepared.variable_count = in.i32(), true;
    if (id == 3 && type == tp::T_LIST) return read_texts(prepared.variable_types), true;
    if (id == 4 && type == tp::T_LIST) return read_texts(prepared.variable_names), true;
    return false;
  });
}

// False for results that nobody here reads, which are skipped.
bool ReplyReader::Impl::read_success(Call call, tp::TType type) {
  if (call == Call::kGetSlice && type == tp::T_LIST) return read_cells(), true;
  if (type == tp::T_STRING) return text = in.text(), true;
  if (type != tp::T_STRUCT) return false;
  switch (call) {
    case Call::kExecuteCqlQuery:
    case Call::kExecuteCql3Query:
    case Call::kExecutePreparedCqlQuery:
    case Call::kExecutePreparedCql3Query:
      return read_cql_result(), true;
    case Call::kPrepareCqlQuery:
    case Call::kPrepareCql3Query:
      return read_prepared(), true;
    default:
      return false;
  }
}

// A result struct: field 0 is what the call gives, any other is an exception.
ReplyReader::Outcome ReplyReader::Impl::read_result(Call call) {
  Outcome outcome = Outcome::kResult;
  bool has_success = false;
  in.fields([&](int16_t id, tp::TType type) {
    if (id == 0) {
      has_success = true;
      return read_success(call, type);
    }
    const auto kind = exception_kind(call, id);
    if (!kind || type != tp::T_STRUCT) return false;
    exception = read_exception(in, *kind);
    outcome = Outcome::kException;
    return true;
  });
  if (outcome == Outcome::kResult && !has_success && gives_something(call))
    throw tp::TProtocolException(tp::TProtocolException::INVALID_DATA,
                                 "a reply without a result and without an exception");
  return outcome;
}

ReplyReader::Outcome ReplyReader::Impl::read_message(Call call, ByteView message) {
  tp::TMessageType type = tp::T_CALL;
  decoder.transport->attach(message);
  in.readMessageBegin(decoder.name, type, seqid);
  if (decoder.name != wire_name(call))
    throw tp::TProtocolException(
        tp::TProtocolException::INVALID_DATA,
        fmt::format("the reply is to '{}'", core::printable(decoder.name, 64)));
  if (type == tp::T_EXCEPTION) {
    exception = read_application_exception(in);
    return Outcome::kException;
  }
  if (type != tp::T_REPLY)
    throw tp::TProtocolException(tp::TProtocolException::INVALID_DATA, "it is not a reply");
  return read_result(call);
}

ReplyReader::ReplyReader() : impl_(std::make_unique<Impl>()) {}
ReplyReader::~ReplyReader() = default;

core::Result<ReplyReader::Outcome> ReplyReader::read(Call call, ByteView message) {
  impl_->forget();
  try {
    return impl_->read_message(call, message);
  } catch (const std::exception& error) {
    return std::unexpected(protocol_error(fmt::format(
        "the server's answer to {} cannot be read: {}", call_name(call), error.what())));
  }
}

int32_t ReplyReader::seqid() const { return impl_->seqid; }
const Exception& ReplyReader::exception() const { return impl_->exception; }
std::span<const Cell> ReplyReader::cells() const { return impl_->cells; }
size_t ReplyReader::row_count() const { return impl_->row_ends.size(); }

std::span<const CqlCell> ReplyReader::row(size_t index) const {
  const size_t begin = index == 0 ? 0 : impl_->row_ends[index - 1];
  return std::span(impl_->cql_cells).subspan(begin, impl_->row_ends[index] - begin);
}

const PreparedQuery& ReplyReader::prepared() const { return impl_->prepared; }
std::string_view ReplyReader::text() const { return impl_->text; }

}  // namespace cqlperf::thrift
