#include "server/reader_points.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/byte_reader.h"
#include "protocol/values.h"
#include "server/row_key.h"
#include "storage/key.h"
#include "storage/partition.h"
#include "storage/row.h"
#include "storage/token.h"

namespace cqlperf::server {

using protocol::ByteView;

PointQueue::PointQueue(storage::Engine& engine)
    : keeps_nothing_(engine.keeps_nothing()), reads_(engine.make_point_reads()) {}

cql::Status PointQueue::add(std::shared_ptr<const SelectPlan> plan, const Arguments& arguments,
                            const cql::Evaluation& evaluation, const ReplyTo& to) {
  Point point{std::move(plan), to, arguments.consistency, arguments.now_us / 1'000'000,
              arguments.metadata};
  const size_t start = queue_.bytes.size();
  if (auto status = append_values(evaluation, point); !status) {
    queue_.bytes.truncate(start);
    return status;
  }
  if (keeps_nothing_) {
    queue_.bytes.truncate(start);
    reply_rows(*point.plan, to, {arguments.metadata, arguments.metadata_id}, {}, 0, {});
    return {};
  }
  append_keys(point);
  if (point.metadata == MetadataForm::kChanged) {
    point.metadata_id = {queue_.bytes.size(), arguments.metadata_id.size()};
    queue_.bytes.append(arguments.metadata_id);
  }
  queue_.points.push_back(std::move(point));
  return {};
}

// The values of the key columns, for the row that comes back: its key does not give them as cheap.
cql::Status PointQueue::append_values(const cql::Evaluation& evaluation, Point& point) {
  const Table& table = *point.plan->table();
  const auto& terms = point.plan->point_terms();
  routing_.clear();
  clustering_.clear();
  point.values.at = queue_.bytes.size();
  for (size_t index = 0; index < terms.size(); ++index) {
    auto value = evaluate_key_value(terms[index], evaluation, table.columns[index]);
    if (!value) return std::unexpected(std::move(value.error()));
    if (value->size() > kKeySizeMax) return check_routing_key(*value);
    protocol::append_blob(queue_.bytes, *value);
    if (index >= table.partition_key_size) {
      const auto& column = point.plan->layout().clustering()[index - table.partition_key_size];
      storage::append_clustering_value(clustering_, column, *value);
    } else if (table.partition_key_size > 1) {
      append_routing_part(routing_, *value);
    } else {
      routing_.append(*value);
    }
  }
  point.values.size = queue_.bytes.size() - point.values.at;
  return check_routing_key(routing_.bytes());
}

void PointQueue::append_keys(Point& point) {
  const int64_t token = storage::token_of(routing_.bytes());
  point.key.at = queue_.bytes.size();
  append_row_key(queue_.bytes, token, routing_.bytes(), clustering_.bytes());
  point.key.size = queue_.bytes.size() - point.key.at;
  if (!point.plan->layout().has_clustering()) return;
  point.partition_key.at = queue_.bytes.size();
  append_partition_key(queue_.bytes, token, routing_.bytes());
  point.partition_key.size = queue_.bytes.size() - point.partition_key.at;
}

void PointQueue::Queue::add(const Point& point, const core::Buffer& from) {
  Point& added = points.emplace_back(point);
  for (Place* place : {&added.metadata_id, &added.values, &added.key, &added.partition_key}) {
    const ByteView moved = from.bytes().subspan(place->at, place->size);
    place->at = bytes.size();
    bytes.append(moved);
  }
}

void PointQueue::Queue::clear() {
  points.clear();
  bytes.clear();
}

bool PointQueue::can_run() const { return !queue_.points.empty() || has_room_again(); }

bool PointQueue::has_room_again() const {
  return std::ranges::any_of(waiting_.points,
                             [](const Point& point) { return point.to.target->has_room(); });
}

void PointQueue::run() {
  if (has_room_again()) {
    for (const Point& point : waiting_.points) queue_.add(point, waiting_.bytes);
    waiting_.clear();
  }
  for (size_t first = 0; first < queue_.points.size();) {
    const size_t count = std::min(batch_size_.keys(), queue_.points.size() - first);
    run_group(first, count);
    first += count;
  }
  queue_.clear();
}

void PointQueue::run_group(size_t first, size_t count) {
  const std::span<Point> group = std::span(queue_.points).subspan(first, count);
  reads_->clear();
  for (Point& point : group) {
    if (point.to.target == nullptr) continue;
    if (!point.to.target->has_room()) {
      waiting_.add(point, queue_.bytes);
      point.to.target = nullptr;
      continue;
    }
    const storage::Store& store = *point.plan->table()->store;
    point.read = reads_->add(store, bytes(point.key));
    if (point.partition_key.size > 0) reads_->add(store, bytes(point.partition_key));
  }
  core::Status status = reads_->run();
  size_t read_bytes = 0;
  for (const Point& point : group) {
    if (point.to.target == nullptr) continue;
    core::Status answered = status;
    if (answered) {
      read_bytes += reads_->value(point.read).value_or(ByteView()).size();
      // Large ones that were read for nothing are few: the next batches are small.
      if (!point.to.target->has_room()) {
        waiting_.add(point, queue_.bytes);
        continue;
      }
      answered = answer(point);
    }
    if (!answered) reply_error(point.to, read_failure(point.consistency, answered.error()));
  }
  // Those that wait say nothing about what the others hold.
  if (reads_->count() > 0) batch_size_.adapt(read_bytes);
  reads_->clear();
}

core::Status PointQueue::answer(const Point& point) {
  auto is_there = load(point);
  if (!is_there) return std::unexpected(std::move(is_there.error()));
  if (*is_there) {
    answer_row(point);
  } else {
    reply_rows(*point.plan, point.to, {point.metadata, bytes(point.metadata_id)}, {}, 0, {});
  }
  return {};
}

// Fills values_; false when there is no such row.
core::Result<bool> PointQueue::load(const Point& point) {
  const auto value = reads_->value(point.read);
  if (!value) return false;
  auto row = storage::RowView::parse(*value);
  if (!row) return std::unexpected(std::move(row.error()));
  int64_t deleted_us = std::numeric_limits<int64_t>::min();
  if (point.partition_key.size > 0) {
    if (const auto entry = reads_->value(point.read + 1)) {
      auto partition = storage::PartitionView::parse(*entry);
      if (!partition) return std::unexpected(std::move(partition.error()));
      const size_t prefix_size = point.partition_key.size;  // a row's mark is as long as an entry's
      deleted_us = partition->deleted_us(bytes(point.key).subspan(prefix_size));
    }
  }
  if (!row->is_live(point.now_s, deleted_us)) return false;
  const Table& table = *point.plan->table();
  values_.columns.resize(table.columns.size());
  values_.times.resize(table.columns.size());
  core::ByteReader in(bytes(point.values));
  const size_t key_size = table.partition_key_size + table.clustering_key_size;
  for (size_t index = 0; index < key_size; ++index) {
    values_.columns[index] = protocol::read_bytes(in);
  }
  if (point.plan->parts().cells) {
    point.plan->layout().load_cells(*row, point.now_s, deleted_us, values_);
  }
  return true;
}

void PointQueue::answer_row(const Point& point) {
  const Selection& selection = point.plan->selection();
  // A row is larger than what was read only when it is selected more than once.
  const size_t read_size = reads_->value(point.read)->size() + point.key.size + point.values.size;
  const bool may_be_too_large = read_size > kResultBytesMax / selection.specs().size();
  const ReplyForm form{point.metadata, bytes(point.metadata_id)};
  if (!may_be_too_large) {
    core::Buffer& out = point.to.target->begin_reply(point.to.stream, protocol::Opcode::kResult);
    point.plan->append_head(out, point.to.target->version(), form.metadata, form.metadata_id, {});
    out.append_i32(1);
    selection.append_plain_row(out, values_, point.now_s);
    return point.to.target->end_reply();
  }
  row_bytes_.clear();
  selection.append_plain_row(row_bytes_, values_, point.now_s);
  if (row_bytes_.size() > kResultBytesMax) {
    reply_error(point.to, result_too_large());
  } else {
    reply_rows(*point.plan, point.to, form, {}, 1, row_bytes_.bytes());
  }
  row_bytes_.release();
}

void PointQueue::forget(const ReplyTarget& target) {
  for (Point& point : queue_.points) {
    if (point.to.target == &target) point.to.target = nullptr;
  }
  std::erase_if(waiting_.points, [&](const Point& point) { return point.to.target == &target; });
}

}  // namespace cqlperf::server
