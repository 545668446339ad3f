#pragma once

#include <cstdint>
#include <string_view>

#include "core/buffer.h"
#include "protocol/inet.h"
#include "protocol/strings.h"
#include "protocol/uuid.h"
#include "server/system_tables.h"

namespace cqlperf::server {

// Makes a row of a system table by the names of its columns; those that are not set are null. A
// name that the table does not have is a broken invariant. Views the table.
class SystemRowBuilder {
 public:
  explicit SystemRowBuilder(const Table& table) : table_(table), row_(table.columns.size()) {}

  void text(std::string_view column, std::string_view value);
  void integer(std::string_view column, int32_t value);
  void number(std::string_view column, double value);
  void boolean(std::string_view column, bool value);
  void uuid(std::string_view column, const protocol::Uuid& value);
  void inet(std::string_view column, const protocol::InetAddress& value);
  void blob(std::string_view column, protocol::ByteView value);
  void text_map(std::string_view column, const protocol::StringMap& value);
  // A set; the texts must come in its order, each once.
  void text_set(std::string_view column, const protocol::StringList& value);

  SystemRow take() { return std::move(row_); }

 private:
  // Puts the one [value] that the buffer holds into the row.
  void put(std::string_view column);

  const Table& table_;
  SystemRow row_;
  core::Buffer value_;
};

}  // namespace cqlperf::server
