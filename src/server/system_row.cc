#include "server/system_row.h"

#include <algorithm>

#include "core/check.h"
#include "protocol/values.h"

namespace cqlperf::server {
namespace {

constexpr size_t kLengthBytes = 4;  // before a [value]

}  // namespace

void SystemRowBuilder::put(std::string_view column) {
  const auto found = std::ranges::find(table_.columns, column, &Column::name);
  CQLPERF_CHECK(found != table_.columns.end(), "a system table has no such column");
  const auto index = static_cast<size_t>(found - table_.columns.begin());
  row_[index] = protocol::to_bytes(value_.bytes().subspan(kLengthBytes));
  value_.clear();
}

void SystemRowBuilder::text(std::string_view column, std::string_view value) {
  protocol::append_text(value_, value);
  put(column);
}
void SystemRowBuilder::integer(std::string_view column, int32_t value) {
  protocol::append_int(value_, value);
  put(column);
}
void SystemRowBuilder::number(std::string_view column, double value) {
  protocol::append_double(value_, value);
  put(column);
}
void SystemRowBuilder::boolean(std::string_view column, bool value) {
  protocol::append_boolean(value_, value);
  put(column);
}
void SystemRowBuilder::uuid(std::string_view column, const protocol::Uuid& value) {
  protocol::append_uuid(value_, value);
  put(column);
}
void SystemRowBuilder::inet(std::string_view column, const protocol::InetAddress& value) {
  protocol::append_inet_value(value_, value);
  put(column);
}
void SystemRowBuilder::blob(std::string_view column, protocol::ByteView value) {
  protocol::append_blob(value_, value);
  put(column);
}
void SystemRowBuilder::text_map(std::string_view column, const protocol::StringMap& value) {
  protocol::append_text_map(value_, value);
  put(column);
}
void SystemRowBuilder::text_set(std::string_view column, const protocol::StringList& value) {
  protocol::append_text_list(value_, value);
  put(column);
}

}  // namespace cqlperf::server
