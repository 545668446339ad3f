#include "protocol/schema_change.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace cqlperf::protocol {
namespace {

constexpr std::string_view kName = "SCHEMA_CHANGE";
constexpr std::string_view kChanges[] = {"CREATED", "UPDATED", "DROPPED"};
constexpr std::string_view kTargets[] = {"KEYSPACE", "TABLE", "TYPE", "FUNCTION", "AGGREGATE"};

// The index of `text` in `names`, or their number.
template <size_t kCount>
size_t index_of(const std::string_view (&names)[kCount], std::string_view text) {
  return static_cast<size_t>(std::ranges::find(names, text) - names);
}

bool has_arguments(SchemaTarget target) {
  return target == SchemaTarget::kFunction || target == SchemaTarget::kAggregate;
}

}  // namespace

std::string_view schema_change_type_name(SchemaChangeType type) {
  return kChanges[static_cast<size_t>(type)];
}

std::string_view schema_target_name(SchemaTarget target) {
  return kTargets[static_cast<size_t>(target)];
}

void SchemaChange::encode(Version version, core::Buffer& out) const {
  const bool is_coarse = version < Version::kV4 && has_arguments(target);
  const SchemaTarget written = is_coarse ? SchemaTarget::kKeyspace : target;
  append_string(out, schema_change_type_name(is_coarse ? SchemaChangeType::kUpdated : change));
  append_string(out, schema_target_name(written));
  append_string(out, keyspace);
  if (written != SchemaTarget::kKeyspace) append_string(out, name);
  if (has_arguments(written)) append_string_list(out, argument_types);
}

core::Result<SchemaChange> SchemaChange::decode(Version, core::ByteReader& in) {
  const std::string_view change = read_string(in);
  const std::string_view target = read_string(in);
  SchemaChange message;
  message.keyspace = read_string(in);
  if (!in.ok()) return message;
  const size_t change_index = index_of(kChanges, change);
  const size_t target_index = index_of(kTargets, target);
  if (change_index == std::size(kChanges) || target_index == std::size(kTargets)) {
    return malformed(kName, fmt::format("unknown change `{}` of `{}`", change, target));
  }
  message.change = static_cast<SchemaChangeType>(change_index);
  message.target = static_cast<SchemaTarget>(target_index);
  if (message.target != SchemaTarget::kKeyspace) message.name = read_string(in);
  if (has_arguments(message.target)) message.argument_types = read_string_list(in);
  return message;
}

}  // namespace cqlperf::protocol
