#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "core/byte_reader.h"
#include "core/result.h"
#include "protocol/strings.h"
#include "protocol/version.h"

namespace cqlperf::protocol {

// Ids of column types (section 4.2.5.2).
enum class TypeId : uint16_t {
  kCustom = 0x00,
  kAscii = 0x01,
  kBigint = 0x02,
  kBlob = 0x03,
  kBoolean = 0x04,
  kCounter = 0x05,
  kDecimal = 0x06,
  kDouble = 0x07,
  kFloat = 0x08,
  kInt = 0x09,
  kTimestamp = 0x0B,
  kUuid = 0x0C,
  kVarchar = 0x0D,
  kVarint = 0x0E,
  kTimeuuid = 0x0F,
  kInet = 0x10,
  kDate = 0x11,
  kTime = 0x12,
  kSmallint = 0x13,
  kTinyint = 0x14,
  kDuration = 0x15,
  kList = 0x20,
  kMap = 0x21,
  kSet = 0x22,
  kUdt = 0x30,
  kTuple = 0x31,
};

// Nesting deeper than this is refused when read.
inline constexpr int kTypeDepthMax = 32;

// The type of a column. Types that a version has no id for (date, time, smallint, tinyint below v4,
// duration below v5) travel as custom types with Cassandra's class name, and are read back as what
// they are.
struct ColumnType {
  TypeId id = TypeId::kVarchar;
  std::string custom_class;        // kCustom
  std::string udt_keyspace;        // kUdt
  std::string udt_name;            // kUdt
  StringList field_names;          // kUdt, one for each of `nested`
  std::vector<ColumnType> nested;  // list and set 1, map 2, tuple and UDT any number

  static ColumnType of(TypeId id) {
    ColumnType type;
    type.id = id;
    return type;
  }
  static ColumnType list_of(ColumnType element);
  static ColumnType set_of(ColumnType element);
  static ColumnType map_of(ColumnType key, ColumnType value);
  static ColumnType tuple_of(std::vector<ColumnType> elements);

  void encode(Version version, core::Buffer& out) const;
  // Malformed types make the reader fail.
  static ColumnType decode(Version version, core::ByteReader& in);

  // As in CQL: `map<text, list<int>>`; names of user types are quoted when they need it. The
  // protocol does not say what is frozen.
  std::string cql_name() const;

  bool operator==(const ColumnType&) const = default;
};

}  // namespace cqlperf::protocol
