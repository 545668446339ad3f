#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "server/ddl_properties.h"
#include "server/table_options.h"

namespace cqlperf::server {
namespace {

using protocol::StringMap;
using Names = std::vector<std::string_view>;

constexpr std::string_view kCompactionPackage = "org.apache.cassandra.db.compaction.";
constexpr std::string_view kCompressionPackage = "org.apache.cassandra.io.compress.";

// A class and the options that it takes besides those of all of its kind.
struct OptionClass {
  std::string_view name;
  Names options;
};

const OptionClass* find_class(const std::vector<OptionClass>& classes, std::string_view package,
                              std::string_view name) {
  if (name.starts_with(package)) name.remove_prefix(package.size());
  const auto found = std::ranges::find(classes, name, &OptionClass::name);
  return found == classes.end() ? nullptr : &*found;
}

std::string in_full(std::string_view package, std::string_view name) {
  const bool is_full = name.find('.') != std::string_view::npos;
  return is_full ? std::string(name) : fmt::format("{}{}", package, name);
}

bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> unknown_keys(const StringMap& map, const Names& common,
                                      const Names& special) {
  std::vector<std::string> unknown;
  for (const auto& [key, value] : map) {
    if (!contains(common, key) && !contains(special, key)) unknown.push_back(key);
  }
  return unknown;
}

const std::vector<OptionClass>& compaction_classes() {
  static const std::vector<OptionClass> classes = {
      {"SizeTieredCompactionStrategy", {"min_sstable_size", "bucket_low", "bucket_high"}},
      {"LeveledCompactionStrategy",
       {"sstable_size_in_mb", "fanout_size", "single_sstable_uplevel"}},
      {"TimeWindowCompactionStrategy",
       {"compaction_window_unit", "compaction_window_size", "timestamp_resolution",
        "expired_sstable_check_frequency_seconds", "unsafe_aggressive_sstable_expiration",
        "min_sstable_size", "bucket_low", "bucket_high"}},
      {"UnifiedCompactionStrategy",
       {"scaling_parameters", "min_sstable_size", "target_sstable_size", "base_shard_count",
        "flush_size_override", "max_sstables_to_compact", "expired_sstable_check_frequency_seconds",
        "unsafe_aggressive_sstable_expiration", "overlap_inclusion_method", "sstable_growth",
        "parallelize_output_shards"}}};
  return classes;
}

const Names& common_compaction_options() {
  static const Names names = {"class",
                              "enabled",
                              "min_threshold",
                              "max_threshold",
                              "log_all",
                              "only_purge_repaired_tombstones",
                              "provide_overlapping_tombstones",
                              "tombstone_compaction_interval",
                              "tombstone_threshold",
                              "unchecked_tombstone_compaction"};
  return names;
}

cql::Result<int32_t> threshold(const StringMap& options, const char* name) {
  const std::string& text = options.at(name);
  const auto value = parse_int(text);
  if (!value) {
    return config_error(fmt::format(
        "Invalid value {} for '{}' compaction sub-option - must be an integer", text, name));
  }
  return *value;
}

cql::Status check_thresholds(const StringMap& options) {
  auto least = threshold(options, "min_threshold");
  if (!least) return std::unexpected(std::move(least.error()));
  auto most = threshold(options, "max_threshold");
  if (!most) return std::unexpected(std::move(most.error()));
  if (*least <= 0 || *most <= 0) {
    return config_error(
        "Disabling compaction by setting compaction thresholds to 0 has been removed, set the "
        "compaction option 'enabled' to false instead.");
  }
  if (*least < 2) {
    return config_error(
        fmt::format("Min compaction threshold cannot be less than 2 (got {})", *least));
  }
  if (*least <= *most) return {};
  return config_error(fmt::format(
      "Min compaction threshold (got {}) cannot be greater than max compaction threshold (got {})",
      *least, *most));
}

cql::Status check_sstable_size(const StringMap& options) {
  const auto found = options.find("sstable_size_in_mb");
  if (found == options.end()) return {};
  const auto size_mb = parse_int(found->second);
  if (!size_mb) {
    return config_error(
        fmt::format("{} is not a parsable int (base10) for sstable_size_in_mb", found->second));
  }
  if (*size_mb > 0) return {};
  return config_error(
      fmt::format("sstable_size_in_mb must be larger than 0, but was {}", *size_mb));
}

const std::vector<OptionClass>& compression_classes() {
  static const std::vector<OptionClass> classes = {
      {"LZ4Compressor", {"lz4_compressor_type", "lz4_high_compressor_level"}},
      {"SnappyCompressor", {}},
      {"DeflateCompressor", {}},
      {"ZstdCompressor", {"compression_level"}},
      {"NoopCompressor", {}}};
  return classes;
}

cql::Status check_chunk_length(std::string_view text) {
  const auto length_kib = parse_int(text);
  if (!length_kib) return config_error("Invalid value for chunk_length_in_kb");
  if (*length_kib <= 0) return config_error("Invalid negative or null chunk_length_in_kb");
  if ((*length_kib & (*length_kib - 1)) != 0)
    return config_error("chunk_length_in_kb must be a power of 2");
  return {};
}

cql::Status check_compress_ratio(const StringMap& options) {
  const auto found = options.find("min_compress_ratio");
  if (found == options.end()) return {};
  const auto ratio = parse_double(found->second);
  if (ratio && (*ratio == 0 || *ratio >= 1)) return {};
  return config_error("min_compress_ratio can either be 0 or greater than or equal to 1");
}

// Takes `enabled` out of the options: whether there is to be compression.
cql::Result<bool> take_enabled(StringMap& options) {
  const auto found = options.find("enabled");
  if (found == options.end()) return !options.empty();
  const bool enabled = to_lower(found->second) == "true";
  options.erase(found);
  if (!enabled && !options.empty()) {
    return config_error(
        "If the 'enabled' option is set to false no other options must be specified");
  }
  return enabled;
}

cql::Status check_caching(const std::string& keys, const std::string& rows) {
  if (keys != "ALL" && keys != "NONE") {
    return config_error(fmt::format(
        "Invalid value '{}' for caching sub-option 'keys': only 'ALL' and 'NONE' are allowed",
        keys));
  }
  const bool is_count =
      !rows.empty() && std::ranges::all_of(rows, [](char c) { return c >= '0' && c <= '9'; });
  if (rows == "ALL" || rows == "NONE" || is_count) return {};
  return config_error(
      fmt::format("Invalid value '{}' for caching sub-option 'rows_per_partition': only 'ALL', "
                  "'NONE', and integer values are allowed",
                  rows));
}

}  // namespace

cql::Result<StringMap> caching_options(const StringMap& given) {
  StringMap options = {{"keys", "ALL"}, {"rows_per_partition", "NONE"}};
  StringMap unknown;
  for (const auto& [key, value] : given) {
    const auto known = options.find(key);
    if (known == options.end()) {
      unknown.emplace(key, value);
      continue;
    }
    const std::string upper = to_upper(value);
    known->second = upper == "ALL" || upper == "NONE" ? upper : value;
  }
  if (auto status = check_caching(options["keys"], options["rows_per_partition"]); !status)
    return std::unexpected(std::move(status.error()));
  if (unknown.empty()) return options;
  return config_error(fmt::format(
      "Invalid caching sub-options [{}]: only 'keys' and 'rows_per_partition' are allowed",
      fmt::join(unknown_keys(unknown, {}, {}), ", ")));
}

cql::Result<StringMap> compaction_options(const StringMap& given) {
  StringMap options = given;
  const auto name = options.find("class");
  if (name == options.end())
    return config_error("Missing sub-option 'class' for the 'compaction' option");
  const OptionClass* known = find_class(compaction_classes(), kCompactionPackage, name->second);
  const std::string full_name = in_full(kCompactionPackage, name->second);
  if (known == nullptr)
    return config_error(fmt::format("Unable to find compaction strategy class '{}'", full_name));
  name->second = full_name;
  if (const auto unknown = unknown_keys(options, common_compaction_options(), known->options);
      !unknown.empty()) {
    return config_error(fmt::format("Properties specified [{}] are not understood by {}",
                                    fmt::join(unknown, ", "), known->name));
  }
  if (known->name != "UnifiedCompactionStrategy") {
    options.emplace("min_threshold", "4");
    options.emplace("max_threshold", "32");
    if (auto status = check_thresholds(options); !status)
      return std::unexpected(std::move(status.error()));
  }
  if (auto status = check_sstable_size(options); !status)
    return std::unexpected(std::move(status.error()));
  return options;
}

cql::Result<StringMap> compression_options(const StringMap& given) {
  StringMap options = given;
  const auto enabled = take_enabled(options);
  if (!enabled) return std::unexpected(enabled.error());
  if (!*enabled) return StringMap{{"enabled", "false"}};
  const auto name = options.find("class");
  if (name == options.end())
    return config_error("Missing sub-option 'class' for the 'compression' option.");
  if (name->second.empty()) {
    return config_error(
        "The 'class' option must not be empty. To disable compression use 'enabled' : false");
  }
  const OptionClass* known = find_class(compression_classes(), kCompressionPackage, name->second);
  name->second = in_full(kCompressionPackage, name->second);
  if (known == nullptr) {
    return config_error(fmt::format("Could not create Compression for type {}", name->second));
  }
  const Names common = {"class", "chunk_length_in_kb", "min_compress_ratio"};
  if (const auto unknown = unknown_keys(options, common, known->options); !unknown.empty())
    return config_error(fmt::format("Unknown compression options {}", fmt::join(unknown, ", ")));
  const auto length = options.emplace("chunk_length_in_kb", "16").first;
  if (auto status = check_chunk_length(length->second); !status)
    return std::unexpected(std::move(status.error()));
  if (auto status = check_compress_ratio(options); !status)
    return std::unexpected(std::move(status.error()));
  return options;
}

}  // namespace cqlperf::server
