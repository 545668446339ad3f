#include "protocol/types.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/check.h"
#include "protocol/identifiers.h"

namespace cqlperf::protocol {
namespace {

struct NativeType {
  TypeId id;
  std::string_view name;
  Version since;                // the first version with an id for it
  std::string_view class_name;  // how earlier versions say it
};
constexpr std::string_view kMarshal = "org.apache.cassandra.db.marshal.";
constexpr NativeType kNativeTypes[] = {
    {TypeId::kAscii, "ascii", Version::kV3, ""},
    {TypeId::kBigint, "bigint", Version::kV3, ""},
    {TypeId::kBlob, "blob", Version::kV3, ""},
    {TypeId::kBoolean, "boolean", Version::kV3, ""},
    {TypeId::kCounter, "counter", Version::kV3, ""},
    {TypeId::kDecimal, "decimal", Version::kV3, ""},
    {TypeId::kDouble, "double", Version::kV3, ""},
    {TypeId::kFloat, "float", Version::kV3, ""},
    {TypeId::kInt, "int", Version::kV3, ""},
    {TypeId::kTimestamp, "timestamp", Version::kV3, ""},
    {TypeId::kUuid, "uuid", Version::kV3, ""},
    {TypeId::kVarchar, "text", Version::kV3, ""},
    {TypeId::kVarint, "varint", Version::kV3, ""},
    {TypeId::kTimeuuid, "timeuuid", Version::kV3, ""},
    {TypeId::kInet, "inet", Version::kV3, ""},
    {TypeId::kDate, "date", Version::kV4, "SimpleDateType"},
    {TypeId::kTime, "time", Version::kV4, "TimeType"},
    {TypeId::kSmallint, "smallint", Version::kV4, "ShortType"},
    {TypeId::kTinyint, "tinyint", Version::kV4, "ByteType"},
    {TypeId::kDuration, "duration", Version::kV5, "DurationType"},
};

const NativeType* find_native(TypeId id) {
  const auto* found = std::ranges::find(kNativeTypes, id, &NativeType::id);
  return found == std::end(kNativeTypes) ? nullptr : found;
}

// The native type that a custom class stands for, if it is one of Cassandra's.
const NativeType* find_native(std::string_view custom_class) {
  if (!custom_class.starts_with(kMarshal)) return nullptr;
  custom_class.remove_prefix(kMarshal.size());
  const auto* found = std::ranges::find(kNativeTypes, custom_class, &NativeType::class_name);
  return custom_class.empty() || found == std::end(kNativeTypes) ? nullptr : found;
}

ColumnType read_type(core::ByteReader& in, int depth);

void read_nested(core::ByteReader& in, size_t count, int depth, ColumnType& type) {
  for (size_t i = 0; i < count && in.ok(); ++i) type.nested.push_back(read_type(in, depth + 1));
}

void read_udt(core::ByteReader& in, int depth, ColumnType& type) {
  type.udt_keyspace = read_string(in);
  type.udt_name = read_string(in);
  const size_t count = in.read_u16();
  for (size_t i = 0; i < count && in.ok(); ++i) {
    type.field_names.emplace_back(read_string(in));
    read_nested(in, 1, depth, type);
  }
}

void read_custom(core::ByteReader& in, ColumnType& type) {
  const std::string_view class_name = read_string(in);
  if (const NativeType* native = find_native(class_name)) {
    type.id = native->id;
  } else {
    type.custom_class = class_name;
  }
}

ColumnType read_type(core::ByteReader& in, int depth) {
  ColumnType type;
  type.id = static_cast<TypeId>(in.read_u16());
  if (depth > kTypeDepthMax) in.set_failed();
  if (!in.ok() || find_native(type.id) != nullptr) return type;
  switch (type.id) {
    case TypeId::kCustom:
      read_custom(in, type);
      break;
    case TypeId::kList:
    case TypeId::kSet:
      read_nested(in, 1, depth, type);
      break;
    case TypeId::kMap:
      read_nested(in, 2, depth, type);
      break;
    case TypeId::kUdt:
      read_udt(in, depth, type);
      break;
    case TypeId::kTuple:
      read_nested(in, in.read_u16(), depth, type);
      break;
    default:
      in.set_failed();
  }
  return type;
}

void append_type_id(core::Buffer& out, TypeId id) { out.append_u16(static_cast<uint16_t>(id)); }

void append_custom(core::Buffer& out, std::string_view class_name) {
  append_type_id(out, TypeId::kCustom);
  append_string(out, class_name);
}

std::string udt_cql_name(const ColumnType& type) {
  return fmt::format("{}.{}", identifier_to_cql(type.udt_keyspace),
                     identifier_to_cql(type.udt_name));
}

std::string nested_cql_name(std::string_view name, const ColumnType& type) {
  std::string text(name);
  for (size_t i = 0; i < type.nested.size(); ++i) {
    text += (i == 0 ? "<" : ", ") + type.nested[i].cql_name();
  }
  return text + (type.nested.empty() ? "<>" : ">");
}

}  // namespace

ColumnType ColumnType::list_of(ColumnType element) {
  ColumnType type = of(TypeId::kList);
  type.nested.push_back(std::move(element));
  return type;
}

ColumnType ColumnType::set_of(ColumnType element) {
  ColumnType type = of(TypeId::kSet);
  type.nested.push_back(std::move(element));
  return type;
}

ColumnType ColumnType::map_of(ColumnType key, ColumnType value) {
  ColumnType type = of(TypeId::kMap);
  type.nested.push_back(std::move(key));
  type.nested.push_back(std::move(value));
  return type;
}

ColumnType ColumnType::tuple_of(std::vector<ColumnType> elements) {
  ColumnType type = of(TypeId::kTuple);
  type.nested = std::move(elements);
  return type;
}

void ColumnType::encode(Version version, core::Buffer& out) const {
  if (const NativeType* native = find_native(id); native && version < native->since) {
    return append_custom(out, fmt::format("{}{}", kMarshal, native->class_name));
  }
  if (id == TypeId::kCustom) return append_custom(out, custom_class);
  append_type_id(out, id);
  if (id == TypeId::kUdt) {
    CQLPERF_CHECK(field_names.size() == nested.size(), "a name for each field of a user type");
    append_string(out, udt_keyspace);
    append_string(out, udt_name);
  }
  if (id == TypeId::kUdt || id == TypeId::kTuple) {
    CQLPERF_CHECK(nested.size() <= kShortMax, "too many fields in a type");
    out.append_u16(static_cast<uint16_t>(nested.size()));
  }
  for (size_t i = 0; i < nested.size(); ++i) {
    if (id == TypeId::kUdt) append_string(out, field_names[i]);
    nested[i].encode(version, out);
  }
}

ColumnType ColumnType::decode(Version, core::ByteReader& in) { return read_type(in, 0); }

std::string ColumnType::cql_name() const {
  if (const NativeType* native = find_native(id)) return std::string(native->name);
  switch (id) {
    case TypeId::kList:
      return nested_cql_name("list", *this);
    case TypeId::kSet:
      return nested_cql_name("set", *this);
    case TypeId::kMap:
      return nested_cql_name("map", *this);
    case TypeId::kTuple:
      return nested_cql_name("tuple", *this);
    case TypeId::kUdt:
      return udt_cql_name(*this);
    default:
      return fmt::format("'{}'", custom_class);
  }
}

}  // namespace cqlperf::protocol
