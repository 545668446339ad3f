#pragma once

#include <string>

#include "core/buffer.h"
#include "core/byte_reader.h"
#include "core/result.h"
#include "protocol/strings.h"
#include "protocol/version.h"

namespace cqlperf::protocol {

enum class SchemaChangeType : uint8_t { kCreated, kUpdated, kDropped };
enum class SchemaTarget : uint8_t { kKeyspace, kTable, kType, kFunction, kAggregate };

// `CREATED`, `TABLE`.
std::string_view schema_change_type_name(SchemaChangeType type);
std::string_view schema_target_name(SchemaTarget target);

// The body of a SCHEMA_CHANGE event, and of the RESULT of the same name (section 4.2.6).
struct SchemaChange {
  SchemaChangeType change = SchemaChangeType::kCreated;
  SchemaTarget target = SchemaTarget::kKeyspace;
  std::string keyspace = {};
  std::string name = {};           // empty for a keyspace
  StringList argument_types = {};  // of a function or aggregate

  // v3 knows no functions and aggregates: there the keyspace is said to be updated, as Cassandra
  // does.
  void encode(Version version, core::Buffer& out) const;
  static core::Result<SchemaChange> decode(Version version, core::ByteReader& in);
  bool operator==(const SchemaChange&) const = default;
};

}  // namespace cqlperf::protocol
