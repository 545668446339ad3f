#include "workload/workload.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/byte_reader.h"

namespace cqlperf::workload {
namespace {

constexpr std::string_view kDefaultMix = "insert=1,read=3";
constexpr int64_t kReadKeysDefault = 100'000;
constexpr std::string_view kColumns = "id int PRIMARY KEY, va int, vb int, vc int";
constexpr size_t kRowColumns = 1 + RowValues::kColumns;
constexpr std::array<std::string_view, kRowColumns> kColumnNames = {"id", "va", "vb", "vc"};

core::Result<std::vector<MixPart>> mix_of(const WorkloadSpec& spec) {
  if (spec.name == "mixed") return parse_mix(spec.mix.empty() ? kDefaultMix : spec.mix);
  if (spec.name != "insert" && spec.name != "read")
    return core::fail(
        core::ErrorCode::kUsage,
        fmt::format("there is no workload '{}': it is insert, read or mixed", spec.name));
  if (!spec.mix.empty())
    return core::fail(core::ErrorCode::kUsage,
                      fmt::format("the workload {} has no mix ('{}'): use the workload mixed",
                                  spec.name, spec.mix));
  const auto kind = spec.name == "insert" ? OperationKind::kInsert : OperationKind::kRead;
  return std::vector<MixPart>{{kind, 1}};
}

core::Result<int64_t> keys_of(const WorkloadSpec& spec) {
  const int64_t keys = spec.keys.value_or(default_keys(spec.name));
  if (keys >= 1 && keys <= kKeysMax) return keys;
  return core::fail(core::ErrorCode::kUsage,
                    fmt::format("the number of keys is {}: it must be from 1 to {}, since a key is "
                                "a CQL int",
                                keys, kKeysMax));
}

// The int in a cell; none for null and for anything that is not 4 bytes.
std::optional<int32_t> int_in(const protocol::Cell& cell) {
  if (!cell || cell->size() != sizeof(int32_t)) return {};
  return core::ByteReader(*cell).read_i32();
}

std::string describe_cell(const protocol::Cell& cell) {
  if (!cell) return "null";
  const auto value = int_in(cell);
  return value ? fmt::to_string(*value) : fmt::format("{} bytes", cell->size());
}

}  // namespace

int64_t default_keys(std::string_view workload_name) {
  return workload_name == "insert" ? kKeysMax : kReadKeysDefault;
}

core::Result<Workload> Workload::create(const WorkloadSpec& spec) {
  auto mix = mix_of(spec);
  if (!mix) return std::unexpected(mix.error());
  const auto keys = keys_of(spec);
  if (!keys) return std::unexpected(keys.error());
  auto schema = Schema::create(spec.keyspace, spec.table, spec.replication, kColumns);
  if (!schema) return std::unexpected(schema.error());
  const KeyOrder order = spec.serial ? KeyOrder::kSerial : KeyOrder::kRandom;
  return Workload(std::move(*schema), std::move(*mix), KeySequence(order, *keys, spec.seed),
                  spec.seed);
}

Workload::Workload(Schema schema, std::vector<MixPart> mix, KeySequence sequence, uint64_t seed)
    : schema_(std::move(schema)), pattern_(mix), sequence_(sequence), values_(seed), seed_(seed) {
  for (const MixPart& part : mix) statements_.push_back(prepared_text(part.kind));
}

PreparedText Workload::prepared_text(OperationKind kind) const {
  const std::string table = schema_.qualified_table();
  if (kind == OperationKind::kInsert)
    return {kind, fmt::format("INSERT INTO {} (id, va, vb, vc) VALUES (?, ?, ?, ?)", table),
            kRowColumns};
  return {kind, fmt::format("SELECT id, va, vb, vc FROM {} WHERE id = ?", table), 1};
}

Workload Workload::populating() const {
  return Workload(schema_, {{OperationKind::kInsert, 1}},
                  KeySequence(KeyOrder::kSerial, keys(), seed_), seed_);
}

bool Workload::reads() const {
  for (const PreparedText& statement : statements_)
    if (statement.kind == OperationKind::kRead) return true;
  return false;
}

std::vector<std::string> Workload::kind_names() const {
  std::vector<std::string> names;
  for (const PreparedText& statement : statements_) names.emplace_back(kind_name(statement.kind));
  return names;
}

int32_t Workload::expected(int32_t key, size_t column) const {
  return column == 0 ? key : values_.value(key, static_cast<uint32_t>(column - 1));
}

RowState Workload::check_rows(int32_t key, const protocol::RowsView& rows) const {
  if (rows.row_count() == 0) return RowState::kMissing;
  if (rows.row_count() != 1 || rows.column_count() != static_cast<int32_t>(kRowColumns))
    return RowState::kWrong;
  size_t column = 0;
  for (const protocol::Cell cell : *rows.begin()) {
    if (int_in(cell) != expected(key, column)) return RowState::kWrong;
    ++column;
  }
  return RowState::kOk;
}

std::string Workload::describe_rows(int32_t key, const protocol::RowsView& rows) const {
  if (rows.row_count() == 0) return fmt::format("key {}: no row, but it was written", key);
  if (rows.row_count() != 1 || rows.column_count() != static_cast<int32_t>(kRowColumns))
    return fmt::format("key {}: {} rows of {} columns instead of 1 row of {}", key,
                       rows.row_count(), rows.column_count(), kRowColumns);
  const protocol::RowView row = *rows.begin();
  for (size_t column = 0; column < kRowColumns; ++column) {
    const protocol::Cell cell = row.cell(column);
    if (int_in(cell) != expected(key, column))
      return fmt::format("key {}: column {} is {} instead of {}", key, kColumnNames[column],
                         describe_cell(cell), expected(key, column));
  }
  return fmt::format("key {}: the row is as it was written", key);
}

}  // namespace cqlperf::workload
