#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.h"
#include "cql/error.h"
#include "cql/statement.h"
#include "protocol/frame.h"
#include "server/request.h"
#include "server/schema.h"
#include "server/statements.h"
#include "thrift/call_reader.h"
#include "thrift/reply_writer.h"

namespace cqlperf::server {

class ThriftConnection;
class ThriftHost;
class Worker;

// What the calls of one Thrift connection mean, and what the answers to them are. Owner thread: the
// worker's.
class ThriftSession {
 public:
  // Both outlive it; the connection is where the answers go.
  ThriftSession(ThriftHost& host, ThriftConnection& connection);

  // Handles one request; nothing of it is kept. It is answered here, or with answer().
  void handle(const thrift::CallReader::Received& received);
  // The writer, the reader or the catalog has answered the request, as they do in the native
  // protocol.
  void answer(protocol::Opcode opcode, protocol::ByteView body);

  // True when the client was let in.
  bool is_logged_in() const { return is_logged_in_; }

 private:
  using Statements = std::vector<cql::Statement>;

  void dispatch(const thrift::CallMessage& message);
  void login(const thrift::CallMessage& message);
  void set_keyspace(const std::string& keyspace);
  void get_slice(const thrift::CallMessage& message);
  void write(const thrift::CallMessage& message);
  void describe_keyspaces();
  void describe_keyspace(const std::string& keyspace);
  void add_keyspace(const thrift::KeyspaceDef& keyspace);
  void add_table(const thrift::TableDef& table);
  void drop_table(const std::string& table);
  void truncate(const std::string& table);
  void query(const thrift::CallMessage& message);
  void prepare(const thrift::CallMessage& message);
  void execute(const thrift::CallMessage& message);

  // Runs a statement of CQL with its values.
  void run(const CompiledPtr& compiled, std::span<const protocol::Value> values,
           protocol::Consistency consistency, const std::string& keyspace);
  void run_write(const WritePlan& plan, Arguments& arguments);
  void run_batch(const BatchPlan& batch, Arguments& arguments);
  // Runs statements one after the other in the thread of schema changes, and answers when they are
  // done; `keyspace` is that of names without one. After an error the keyspace `undo` is dropped,
  // when it names one.
  void change_schema(Statements statements, const std::string& keyspace, std::string undo = {});

  // The text of a query, inflated; none when an error was answered.
  std::optional<std::string> text_of(const thrift::CallMessage& message);
  Arguments arguments_of(protocol::Consistency consistency);
  ReplyTo to() const;

  void answer_slice(protocol::ByteView body);
  void answer_rows(protocol::ByteView body);
  void answer_nothing();
  void answer_text(std::string_view text);
  void fail(const thrift::Exception& exception);
  void fail(const protocol::ErrorMessage& error);
  void fail(std::string why);

  ThriftHost& host_;
  Worker& worker_;
  ThriftConnection& connection_;
  bool is_logged_in_;
  uint8_t wrong_logins_ = 0;
  std::string keyspace_;

  // Of the request at hand.
  thrift::Call call_ = thrift::Call::kLogin;
  int32_t seqid_ = 0;
  TablePtr table_;                 // of get_slice
  std::vector<uint16_t> columns_;  // of get_slice
  size_t count_max_ = 0;           // of get_slice
  std::vector<thrift::Cell> cells_;
  std::vector<protocol::Value> values_;
  // Of the last query that gave rows: its columns as Thrift describes them.
  CompiledPtr selected_;
  std::vector<thrift::ReplyWriter::CqlColumn> selected_columns_;
};

}  // namespace cqlperf::server
