#include <mutex>
#include <utility>

#include "protocol/error.h"
#include "server/writer_impl.h"

namespace cqlperf::server {
namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;

std::unexpected<protocol::ErrorMessage> serial_failure(const core::Error& error) {
  return std::unexpected(
      write_failure(protocol::Consistency::kSerial, WriteType::kConditional, error));
}

}  // namespace

void Writer::Impl::execute_conditional(std::span<const BatchItem> items, const Arguments& arguments,
                                       const ReplyTo& to) {
  // What this turn wrote before comes first.
  turn.commit();
  auto rows = conditional_rows(items, arguments);
  if (!rows) return refuse(to, rows.error());
  cql::Status status;
  {
    const std::lock_guard lock(locks.lock_of(rows->key().token));
    status = write_if_met(items, arguments, *rows);
  }
  if (!status) return refuse(to, status.error());
  core::Buffer& out = to.target->begin_reply(to.stream, protocol::Opcode::kResult);
  rows->append_result(out, to.target->version());
  to.target->end_reply();
  forget_request();
}

cql::Result<ConditionalRows> Writer::Impl::conditional_rows(std::span<const BatchItem> items,
                                                            const Arguments& arguments) {
  std::optional<ConditionalRows> rows;
  WriteEncoder::Targets targets;
  for (const BatchItem& item : items) {
    const WritePlan& plan = *item.plan;
    if (rows && rows->table() != plan.table_) {
      return cql::invalid("Batch with conditions cannot span multiple tables");
    }
    if (plan.clustering_.has_in()) {
      return cql::invalid(
          "IN on the clustering key columns is not supported with conditional updates");
    }
    const cql::Evaluation evaluation = evaluation_of(item.values, arguments);
    auto status = encoder.evaluate_targets(plan, evaluation, targets);
    if (!status) return std::unexpected(std::move(status.error()));
    if (targets.partitions.size() != 1 || (rows && rows->key() != targets.partitions.front())) {
      return cql::invalid("Batch with conditions cannot span multiple partitions");
    }
    if (!rows) rows.emplace(plan.table_, std::move(targets.partitions.front()));
    if (!plan.is_conditional()) continue;
    status = rows->add(std::move(targets.ranges.front().begin), plan.condition_);
    if (!status) return std::unexpected(std::move(status.error()));
  }
  return std::move(*rows);
}

cql::Status Writer::Impl::write_if_met(std::span<const BatchItem> items, Arguments arguments,
                                       ConditionalRows& rows) {
  // The client's time is not taken: the writes must be newer than what was read.
  arguments.timestamp_us = locks.next_timestamp_us();
  for (const BatchItem& item : items) {
    const cql::Evaluation evaluation = evaluation_of(item.values, arguments);
    auto status = encoder.encode(*item.plan, evaluation, *arguments.timestamp_us, staged);
    if (!status) return status;
  }
  auto status = rows.read(engine, arguments.now_us / kMicrosPerSecond);
  if (!status || !rows.is_met() || staged.empty()) return status;
  const auto batch = engine.make_batch();
  staged.merge_into(*batch);
  if (auto committed = engine.commit(*batch); !committed) return serial_failure(committed.error());
  return {};
}

}  // namespace cqlperf::server
