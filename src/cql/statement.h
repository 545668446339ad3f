#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cql/error.h"
#include "protocol/types.h"

namespace cqlperf::cql {

// The syntax tree of one CQL statement. Everything is owned, names are folded (unquoted ones to
// lower case), and nothing is checked against a schema: that is the server's matter.

// A value in a statement: a literal, a bind marker or a function call.
struct Term {
  enum class Kind : uint8_t {
    kNull,
    kString,    // text: without quotes, escapes resolved
    kInteger,   // text: decimal digits, maybe a minus
    kFloat,     // text: with a point or exponent, or NaN, Infinity, -Infinity
    kBoolean,   // text: "true" or "false"
    kUuid,      // text
    kBlob,      // text: the hexadecimal digits without 0x
    kDuration,  // text as written: 12h30m, P1Y
    kMarker,    // marker
    kFunction,  // text: the name, folded; items: the arguments
    kColumn,    // text: a column's name, folded. Only where an expression allows one (SELECT)
    kTuple,     // items
    kList,      // items
    kSet,       // items
    kMap,       // items: key, value, key, value
  };

  Kind kind = Kind::kNull;
  std::string text = {};
  uint16_t marker = 0;  // index into ParsedStatement::markers
  std::vector<Term> items = {};
  Position position = {};
};

// A bind marker, in order of appearance; `name` is empty for `?`.
struct Marker {
  std::string name;
  Position position;
};

struct TableName {
  std::string keyspace = {};  // empty: that of the connection
  std::string table = {};
};

// `WITH name = value AND …`: literals only. Values of maps are kept as a kMap term.
using Options = std::vector<std::pair<std::string, Term>>;

// USING TIMESTAMP, TTL and TIMEOUT (ScyllaDB's; its value is taken and ignored).
struct Using {
  std::optional<Term> timestamp = {};  // microseconds since 1970
  std::optional<Term> ttl = {};        // seconds
};

enum class Condition : uint8_t { kNone, kIfExists, kIfNotExists };

enum class RelationOperator : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kContains,
  kContainsKey,
  kLike,
  kIsNotNull,
};
// `=`, `IN`.
const char* relation_operator_name(RelationOperator op);

// One condition of WHERE.
struct Relation {
  enum class Left : uint8_t {
    kColumn,  // a = …
    kToken,   // token(a, b) > …
    kTuple,   // (a, b) > …
  };

  Left left = Left::kColumn;
  std::vector<std::string> columns = {};  // one for kColumn
  RelationOperator op = RelationOperator::kEqual;
  // One value; for IN with a list its items; for IN ? the one marker, and `in_marker` is set.
  std::vector<Term> values = {};
  bool in_marker = false;
  Position position = {};
};

struct ColumnDefinition {
  std::string name;
  protocol::ColumnType type;
  bool is_static = false;
  Position position = {};
};

struct CreateKeyspace {
  std::string keyspace;
  bool if_not_exists = false;
  Options options = {};
};
struct AlterKeyspace {
  std::string keyspace;
  bool if_exists = false;
  Options options = {};
};
struct DropKeyspace {
  std::string keyspace;
  bool if_exists = false;
};

struct CreateTable {
  TableName name;
  bool if_not_exists = false;
  std::vector<ColumnDefinition> columns = {};
  std::vector<std::string> partition_key = {};  // empty: none was given
  std::vector<std::string> clustering_key = {};
  std::vector<std::pair<std::string, bool>> clustering_order = {};  // column, true: descending
  bool compact_storage = false;
  Options options = {};
};
struct AlterTable {
  TableName name;
  bool if_exists = false;
  bool add_if_not_exists = false;
  std::vector<ColumnDefinition> added = {};  // ADD, or
  Options options = {};                      // WITH
};
struct DropTable {
  TableName name;
  bool if_exists = false;
};
struct CreateIndex {
  std::string index;  // empty: the server names it `table_column_idx`
  TableName table;    // its keyspace is the index's
  bool if_not_exists = false;
  std::string column = {};
  std::optional<std::string> custom_class = {};  // CREATE CUSTOM INDEX … USING '…'
  Options options = {};
  Position position = {};
};
struct DropIndex {
  TableName name;  // keyspace and the index's name
  bool if_exists = false;
};
struct Truncate {
  TableName name;
};
struct Use {
  std::string keyspace;
};

struct Insert {
  TableName table;
  std::vector<std::string> columns = {};
  std::vector<Term> values = {};  // as many as columns
  std::optional<Term> json = {};  // INSERT … JSON: a string or a marker; then no columns
  bool default_unset = false;     // JSON … DEFAULT UNSET
  Condition condition = Condition::kNone;
  Using attributes = {};
};

// `column = term`, or `column = column + term` of a counter (or minus).
struct Assignment {
  enum class Kind : uint8_t { kSet, kAdd, kSubtract };

  std::string column;
  Kind kind = Kind::kSet;
  Term value = {};
  Position position = {};
};
struct Update {
  TableName table;
  Using attributes = {};
  std::vector<Assignment> assignments = {};
  std::vector<Relation> where = {};
  Condition condition = Condition::kNone;
};
struct Delete {
  TableName table;
  std::vector<std::string> columns = {};  // empty: rows
  Using attributes = {};
  std::vector<Relation> where = {};
  Condition condition = Condition::kNone;
};

using Modification = std::variant<Insert, Update, Delete>;
struct Batch {
  enum class Kind : uint8_t { kLogged, kUnlogged, kCounter };

  Kind kind = Kind::kLogged;
  Using attributes = {};
  std::vector<Modification> statements = {};
};

// What SELECT names: a column, a literal, or a function of such: count(*) is kFunction `count` with
// no items and `star`; writetime(c), ttl(c), token(a, b) are functions of columns.
struct Selector {
  Term expression;
  bool star = false;  // count(*), count(1)
  std::string alias = {};
  std::string text = {};  // the column's name in the result when there is no alias: `count`,
                          // `writetime(c)`, `system.token(a)`, as Cassandra writes it
};
struct Ordering {
  std::string column;
  bool descending = false;
};
struct Select {
  TableName table;
  bool distinct = false;
  bool json = false;
  std::vector<Selector> selectors = {};  // empty: *
  std::vector<Relation> where = {};
  std::vector<std::string> group_by = {};
  std::vector<Ordering> order_by = {};
  std::optional<Term> per_partition_limit = {};
  std::optional<Term> limit = {};
  bool allow_filtering = false;
};

using Statement =
    std::variant<Select, Insert, Update, Delete, Batch, CreateKeyspace, AlterKeyspace, DropKeyspace,
                 CreateTable, AlterTable, DropTable, CreateIndex, DropIndex, Truncate, Use>;

struct ParsedStatement {
  Statement statement;
  std::vector<Marker> markers = {};
  size_t token_count = 0;  // of the text: what its tree takes grows with them
};

}  // namespace cqlperf::cql
