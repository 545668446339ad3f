#include "workload/schema.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "protocol/identifiers.h"

namespace cqlperf::workload {
namespace {

constexpr int kReplicationFactorMax = 1000;

// Walks a CQL map literal of texts to texts or numbers, to find mistakes before they are sent.
class MapScanner {
 public:
  explicit MapScanner(std::string_view text) : text_(text) {}

  // {'key': value, ...} with nothing around it and at least one entry, one of them 'class'.
  bool scan() {
    if (!take('{')) return false;
    do {
      if (!take_entry()) return false;
    } while (take(','));
    return take('}') && at_end() && has_class_;
  }

 private:
  void skip_blanks() {
    position_ = std::min(text_.find_first_not_of(" \t", position_), text_.size());
  }
  bool at_end() {
    skip_blanks();
    return position_ == text_.size();
  }
  bool take(char wanted) {
    if (at_end() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }
  bool take_entry() {
    const size_t start = (skip_blanks(), position_);
    if (!take_text()) return false;
    has_class_ = has_class_ || text_.substr(start, position_ - start) == "'class'";
    return take(':') && (take_text() || take_number());
  }
  // A quote within a text is doubled, which reads like two texts side by side.
  bool take_text() {
    if (!take('\'')) return false;
    const size_t end = text_.find('\'', position_);
    if (end == std::string_view::npos) return false;
    position_ = end + 1;
    if (position_ < text_.size() && text_[position_] == '\'') return take_text();
    return true;
  }
  bool take_number() {
    skip_blanks();
    const size_t end = std::min(text_.find_first_not_of("0123456789", position_), text_.size());
    const bool some = end > position_;
    position_ = end;
    return some;
  }

  std::string_view text_;
  size_t position_ = 0;
  bool has_class_ = false;
};

std::string quoted_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  return out + "'";
}

}  // namespace

core::Result<std::string> replication_map(std::string_view text) {
  int factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && factor >= 1 && factor <= kReplicationFactorMax)
    return fmt::format("{{'class': 'SimpleStrategy', 'replication_factor': {}}}", factor);
  if (MapScanner(text).scan()) return std::string(text);
  return core::fail(
      core::ErrorCode::kUsage,
      fmt::format("the replication '{}' is neither a factor from 1 to {} nor a map such as "
                  "{{'class': 'NetworkTopologyStrategy', 'dc1': 3}}",
                  text, kReplicationFactorMax));
}

core::Result<Schema> Schema::create(std::string_view keyspace, std::string_view table,
                                    std::string_view replication, std::string_view columns,
                                    std::string_view options) {
  if (auto status = protocol::check_schema_name("keyspace", keyspace); !status)
    return std::unexpected(status.error());
  if (auto status = protocol::check_schema_name("table", table); !status)
    return std::unexpected(status.error());
  auto map = replication_map(replication);
  if (!map) return std::unexpected(map.error());
  Schema schema;
  schema.keyspace_ = keyspace;
  schema.table_ = table;
  schema.replication_ = std::move(*map);
  schema.columns_ = columns;
  schema.options_ = options;
  return schema;
}

std::string Schema::qualified_table() const { return protocol::table_to_cql(keyspace_, table_); }

std::string Schema::create_keyspace_cql() const {
  return fmt::format("CREATE KEYSPACE IF NOT EXISTS {} WITH replication = {}",
                     protocol::identifier_to_cql(keyspace_), replication_);
}

std::string Schema::create_table_cql() const { return create_table("IF NOT EXISTS "); }
std::string Schema::create_new_table_cql() const { return create_table(""); }

std::string Schema::create_table(std::string_view condition) const {
  return fmt::format("CREATE TABLE {}{} ({}) WITH comment = {}{}{}", condition, qualified_table(),
                     columns_, quoted_text(table_comment()), options_.empty() ? "" : " AND ",
                     options_);
}

std::string Schema::table_comment() const {
  return fmt::format("{}: it may drop this table", kOwnershipMark);
}

std::string Schema::drop_keyspace_cql() const {
  return fmt::format("DROP KEYSPACE IF EXISTS {}", protocol::identifier_to_cql(keyspace_));
}

std::string Schema::drop_table_cql() const {
  return fmt::format("DROP TABLE IF EXISTS {}", qualified_table());
}

std::string Schema::find_keyspace_cql() const {
  return fmt::format("SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = {}",
                     quoted_text(keyspace_));
}

std::string Schema::find_tables_cql() const {
  return fmt::format(
      "SELECT table_name, comment FROM system_schema.tables WHERE keyspace_name = {}",
      quoted_text(keyspace_));
}

bool is_ours(std::span<const std::string> table_comments) {
  const auto marked = [](const std::string& comment) {
    return comment.starts_with(kOwnershipMark);
  };
  return !table_comments.empty() && std::ranges::all_of(table_comments, marked);
}

}  // namespace cqlperf::workload
