#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/buffer.h"
#include "cql/error.h"
#include "cql/typed_term.h"
#include "protocol/consistency.h"
#include "server/reader_reply.h"
#include "server/request.h"
#include "server/row_source_batch.h"
#include "server/row_source_values.h"
#include "server/select_plan.h"
#include "storage/engine.h"

namespace cqlperf::server {

// Reads of single rows by their keys (SelectPlan::point_terms()): those of a turn are made together
// and answered straight into the reply buffers. In the steady state nothing is allocated. One owner
// thread.
class PointQueue {
 public:
  explicit PointQueue(storage::Engine& engine);

  // Evaluates the key and queues the read, or answers at once when the engine keeps nothing. Errors
  // (0x2200) are the caller's to answer.
  cql::Status add(std::shared_ptr<const SelectPlan> plan, const Arguments& arguments,
                  const cql::Evaluation& evaluation, const ReplyTo& to);
  // True when some of them can be answered: those whose connection has no room for it wait.
  bool can_run() const;
  // Reads and answers all that can be.
  void run();
  // Those of the target are not answered.
  void forget(const ReplyTarget& target);

 private:
  // Bytes in bytes_.
  struct Place {
    size_t at = 0;
    size_t size = 0;
  };
  struct Point {
    std::shared_ptr<const SelectPlan> plan;
    ReplyTo to = {};
    protocol::Consistency consistency = protocol::Consistency::kOne;
    int64_t now_s = 0;
    MetadataForm metadata = MetadataForm::kFull;
    Place metadata_id = {};
    Place values = {};         // of the key columns, each as a [value]
    Place key = {};            // of the row
    Place partition_key = {};  // of the partition's entry; empty without clustering columns
    size_t read = 0;           // of the row; that of the partition's entry comes next
  };

  // Points and the bytes that they need.
  struct Queue {
    void add(const Point& point, const core::Buffer& from);
    void clear();
    std::vector<Point> points = {};
    core::Buffer bytes = {};
  };

  bool has_room_again() const;
  void append_keys(Point& point);
  cql::Status append_values(const cql::Evaluation& evaluation, Point& point);
  protocol::ByteView bytes(const Place& place) const {
    return queue_.bytes.bytes().subspan(place.at, place.size);
  }
  void run_group(size_t first, size_t count);
  core::Status answer(const Point& point);
  core::Result<bool> load(const Point& point);
  void answer_row(const Point& point);

  const bool keeps_nothing_;
  std::unique_ptr<storage::PointReads> reads_;
  BatchSize batch_size_ = {};
  Queue queue_ = {};    // of this turn
  Queue waiting_ = {};  // for room on their connections
  core::Buffer routing_ = {};
  core::Buffer clustering_ = {};
  core::Buffer row_bytes_ = {};
  RowValues values_{0};
};

}  // namespace cqlperf::server
