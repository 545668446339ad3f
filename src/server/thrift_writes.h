#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "cql/error.h"
#include "server/request.h"
#include "server/thrift_plans.h"
#include "server/writer.h"
#include "thrift/call_reader.h"

namespace cqlperf::server {

// The mutations of a call as statements with their values: those of a row with the same time become
// one. One owner thread; kept, for its memory.
class ThriftWrites {
 public:
  explicit ThriftWrites(ThriftPlans& plans) : plans_(plans) {}

  // Checks all that insert, add or batch_mutate brought and makes statements of it; 0x2200, in
  // Cassandra's words, for the first that is wrong, and then nothing is to be written. Values are
  // views of the call's message.
  cql::Status make(const thrift::CallMessage& message, std::string_view keyspace,
                   const SchemaPtr& schema);

  // Of the last make(). None at all: there is nothing to write.
  const std::vector<Writer::BatchItem>& items() const { return items_; }
  // True when all are counters.
  bool are_counters() const { return counters_ > 0; }

  // Forgets them, and gives back what a large call needed.
  void clear();

 private:
  using Action = ThriftPlans::Action;
  static constexpr int32_t kNoTtl = -1;  // the table's, then
  // What mutations must have in common to be one statement.
  struct Group {
    Action action = Action::kSet;
    int64_t timestamp_us = 0;
    int32_t ttl_s = kNoTtl;
    bool operator==(const Group&) const = default;
  };
  // A value of the statement at hand.
  struct Assigned {
    uint16_t column = 0;
    protocol::Value value = {};
  };
  struct Statement {
    CompiledPtr compiled;
    std::vector<protocol::Value> values;
  };

  cql::Status add_row(const thrift::CallMessage& message, const thrift::RowMutations& row,
                      ThriftPlans::TablePlans& plans, const SchemaPtr& schema);
  cql::Status add(const thrift::CallMessage& message, const thrift::Mutation& mutation,
                  ThriftPlans::TablePlans& plans, const SchemaPtr& schema);
  cql::Status add_column(const thrift::Mutation& mutation, ThriftPlans::TablePlans& plans,
                         const SchemaPtr& schema);
  cql::Status add_counter(const thrift::Mutation& mutation, ThriftPlans::TablePlans& plans,
                          const SchemaPtr& schema);
  cql::Status add_deletion(const thrift::CallMessage& message, const thrift::Mutation& mutation,
                           ThriftPlans::TablePlans& plans, const SchemaPtr& schema);
  cql::Status assign(const Group& group, uint16_t column, const protocol::Value& value,
                     ThriftPlans::TablePlans& plans, const SchemaPtr& schema);
  // Makes a statement of what was assigned.
  cql::Status finish(ThriftPlans::TablePlans& plans, const SchemaPtr& schema);
  protocol::Value number(int64_t value, size_t size);

  ThriftPlans& plans_;
  protocol::ByteView key_ = {};
  Group group_ = {};
  bool has_group_ = false;
  std::vector<Assigned> assigned_ = {};
  std::deque<Statement> statements_ = {};
  std::deque<std::array<uint8_t, 8>> numbers_ = {};
  std::vector<Writer::BatchItem> items_ = {};
  size_t counters_ = 0;  // statements of counter tables
  size_t others_ = 0;
};

}  // namespace cqlperf::server
