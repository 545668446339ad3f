#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/buffer.h"
#include "thrift/messages.h"

namespace cqlperf::thrift {

// The client's side, sending: each function appends one call as one frame, its length before it.
// `seqid` comes back in the reply (ReplyReader::seqid()). One owner thread; kept for all calls of a
// thread: then calls with views (the writes, reads and executions) allocate nothing once the buffer
// is large enough. A frame beyond kFrameBytesMax is a broken invariant of the caller: a server ends
// the connection for it.
class CallWriter {
 public:
  CallWriter();
  ~CallWriter();
  CallWriter(const CallWriter&) = delete;
  CallWriter& operator=(const CallWriter&) = delete;

  void login(int32_t seqid, std::string_view user, std::string_view password, core::Buffer& out);
  void set_keyspace(int32_t seqid, std::string_view keyspace, core::Buffer& out);

  // Each row once: no two of `rows` have the same key.
  void batch_mutate(int32_t seqid, std::span<const RowWrite> rows, Consistency consistency,
                    core::Buffer& out);
  void get_slice(int32_t seqid, ByteView key, std::string_view column_family,
                 const SliceRange& range, Consistency consistency, core::Buffer& out);

  void execute_cql3_query(int32_t seqid, std::string_view query, Consistency consistency,
                          core::Buffer& out);
  void prepare_cql3_query(int32_t seqid, std::string_view query, core::Buffer& out);
  // A value cannot be null here: binaries never are.
  void execute_prepared_cql3_query(int32_t seqid, int32_t item_id, std::span<const ByteView> values,
                                   Consistency consistency, core::Buffer& out);

  // describe_cluster_name, describe_version: to find out whether there is such a server at all.
  void call_without_arguments(int32_t seqid, Call call, core::Buffer& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cqlperf::thrift
