#include "server/ddl_keyspace.h"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "server/ddl_names.h"
#include "server/ddl_properties.h"

namespace cqlperf::server {
namespace {

using protocol::StringMap;
using Error = std::unexpected<protocol::ErrorMessage>;

constexpr size_t kNameMax = 48;
constexpr std::string_view kPackage = "org.apache.cassandra.locator.";
constexpr std::string_view kSimple = "org.apache.cassandra.locator.SimpleStrategy";
constexpr std::string_view kNetworkTopology =
    "org.apache.cassandra.locator.NetworkTopologyStrategy";
constexpr const char* kFactor = "replication_factor";
constexpr std::string_view kDefaultFactor = "1";

constexpr auto kProperties = std::to_array<std::string_view>({"durable_writes", "replication"});

cql::Status check_factor(const std::string& text) {
  const auto factor = parse_int(text);
  if (!factor && text.find('/') != std::string::npos)
    return config_error("Transient replication is not enabled on this node");
  if (!factor) return config_error(fmt::format("For input string: \"{}\"", text));
  if (*factor >= 0) return {};
  return config_error(fmt::format("Replication factor must be non-negative, found {}", *factor));
}

cql::Result<std::string> strategy_class(const StringMap& given) {
  const auto found = given.find("class");
  if (found == given.end()) return config_error("Missing replication strategy class");
  const bool is_full = found->second.find('.') != std::string::npos;
  std::string name = is_full ? found->second : fmt::format("{}{}", kPackage, found->second);
  if (name == kSimple || name == kNetworkTopology) return name;
  if (name == fmt::format("{}LocalStrategy", kPackage)) {
    return cql::invalid(
        "Unable to use given strategy class: LocalStrategy is reserved for internal use.");
  }
  return config_error(fmt::format("Unable to find replication strategy class '{}'", name));
}

Error unrecognized(std::string_view option, std::string_view strategy, std::string_view keyspace) {
  return config_error(
      fmt::format("Unrecognized strategy option {{{}}} passed to {} for keyspace {}", option,
                  strategy.substr(kPackage.size()), keyspace));
}

std::string factor_before(const StringMap& previous) {
  const auto found = previous.find(kFactor);
  return std::string(found == previous.end() ? kDefaultFactor : found->second);
}

cql::Result<StringMap> simple_replication(const StringMap& given, const StringMap& previous,
                                          std::string_view keyspace) {
  StringMap replication = given;
  replication["class"] = kSimple;
  replication.emplace(kFactor, factor_before(previous));
  for (const auto& [name, value] : replication) {
    if (name != "class" && name != kFactor) return unrecognized(name, kSimple, keyspace);
  }
  if (auto status = check_factor(replication[kFactor]); !status)
    return Error(std::move(status.error()));
  return replication;
}

// `replication_factor` stands for each data center that has no factor of its own yet.
StringMap expand_data_centers(const StringMap& given, const StringMap& previous,
                              std::string_view data_center) {
  StringMap replication = given;
  replication.erase(kFactor);
  replication["class"] = kNetworkTopology;
  const auto factor = given.find(kFactor);
  if (factor == given.end() && replication.size() > 1) return replication;
  if (const auto kept = previous.find(std::string(data_center)); kept != previous.end())
    replication.emplace(*kept);
  replication.emplace(data_center,
                      factor == given.end() ? factor_before(previous) : factor->second);
  return replication;
}

cql::Result<StringMap> topology_replication(const StringMap& given, const StringMap& previous,
                                            std::string_view keyspace,
                                            std::string_view data_center) {
  StringMap replication = expand_data_centers(given, previous, data_center);
  bool has_copies = false;
  for (const auto& [name, value] : replication) {
    if (name == "class") continue;
    if (name != data_center) return unrecognized(name, kNetworkTopology, keyspace);
    if (auto status = check_factor(value); !status) return Error(std::move(status.error()));
    has_copies = has_copies || parse_int(value).value_or(0) > 0;
  }
  if (!has_copies) return config_error("Configuration for at least one datacenter must be present");
  return replication;
}

// What is kept of `replication = {…}`: the class in full, and a factor for each data center.
cql::Result<StringMap> checked_replication(const StringMap& given, const StringMap& previous,
                                           std::string_view keyspace,
                                           std::string_view data_center) {
  auto strategy = strategy_class(given);
  if (!strategy) return Error(std::move(strategy.error()));
  if (*strategy == kSimple) return simple_replication(given, previous, keyspace);
  return topology_replication(given, previous, keyspace, data_center);
}

cql::Status check_name(std::string_view name) {
  if (!is_word(name)) {
    return cql::invalid(
        fmt::format("Keyspace name must not be empty and must contain alphanumeric or underscore "
                    "characters only (got \"{}\")",
                    name));
  }
  if (name.size() <= kNameMax) return {};
  return cql::invalid(
      fmt::format("Keyspace name must not be more than {} characters long (got {} characters for "
                  "\"{}\")",
                  kNameMax, name.size(), name));
}

cql::Status check_new_name(std::string_view name) {
  if (is_local_keyspace(name))
    return cql::invalid(fmt::format("System keyspace '{}' is not user-modifiable", name));
  return check_name(name);
}

// The properties of CREATE and ALTER, read before anything else is looked at.
struct Given {
  std::optional<StringMap> replication;
  std::optional<bool> durable_writes;
};
cql::Result<Given> read_properties(const cql::Options& options) {
  const Properties with(options);
  if (auto status = with.check_names(kProperties); !status) return Error(std::move(status.error()));
  auto replication = with.map("replication");
  if (!replication) return Error(std::move(replication.error()));
  auto durable_writes = with.boolean("durable_writes");
  if (!durable_writes) return Error(std::move(durable_writes.error()));
  return Given{std::move(*replication), *durable_writes};
}

std::string resource_of(std::string_view keyspace) {
  return fmt::format("<keyspace {}>", keyspace);
}

}  // namespace

cql::Result<std::optional<Keyspace>> plan_create_keyspace(const cql::CreateKeyspace& statement,
                                                          const Schema& schema,
                                                          std::string_view data_center) {
  const std::string& name = statement.keyspace;
  if (auto status = check_new_name(name); !status) return Error(std::move(status.error()));
  auto given = read_properties(statement.options);
  if (!given) return Error(std::move(given.error()));
  if (!given->replication) return cql::invalid("Missing mandatory option 'replication'");
  if (schema.find_keyspace(name) != nullptr) {
    if (statement.if_not_exists) return std::nullopt;
    return already_exists(fmt::format("Cannot add existing keyspace \"{}\"", name), name, "");
  }
  auto replication = checked_replication(*given->replication, {}, name, data_center);
  if (!replication) return Error(std::move(replication.error()));
  Keyspace keyspace;
  keyspace.name = name;
  keyspace.replication = std::move(*replication);
  keyspace.durable_writes = given->durable_writes.value_or(true);
  return keyspace;
}

cql::Result<std::optional<Keyspace>> plan_alter_keyspace(const cql::AlterKeyspace& statement,
                                                         const Schema& schema,
                                                         std::string_view data_center) {
  const std::string& name = statement.keyspace;
  if (auto status = check_may_change(schema, name, DdlAction::kAlter, resource_of(name)); !status)
    return Error(std::move(status.error()));
  auto given = read_properties(statement.options);
  if (!given) return Error(std::move(given.error()));
  const Keyspace* found = schema.find_keyspace(name);
  if (found == nullptr) {
    if (statement.if_exists) return std::nullopt;
    return no_keyspace(name);
  }
  Keyspace keyspace = *found;
  if (given->replication) {
    auto replication =
        checked_replication(*given->replication, found->replication, name, data_center);
    if (!replication) return Error(std::move(replication.error()));
    keyspace.replication = std::move(*replication);
  }
  keyspace.durable_writes = given->durable_writes.value_or(found->durable_writes);
  if (keyspace.replication == found->replication &&
      keyspace.durable_writes == found->durable_writes) {
    return std::nullopt;
  }
  return keyspace;
}

cql::Result<KeyspacePtr> plan_drop_keyspace(const cql::DropKeyspace& statement,
                                            const Schema& schema) {
  const std::string& name = statement.keyspace;
  if (auto status = check_may_change(schema, name, DdlAction::kDrop, resource_of(name)); !status)
    return Error(std::move(status.error()));
  const auto found = schema.keyspaces.find(name);
  if (found != schema.keyspaces.end()) return found->second;
  if (statement.if_exists) return nullptr;
  return no_keyspace(name);
}

}  // namespace cqlperf::server
