#include "server/writer.h"

#include <utility>
#include <vector>

#include "server/write_batch.h"
#include "server/writer_impl.h"

namespace cqlperf::server {
namespace {

WriteType batch_type(cql::Batch::Kind kind) {
  if (kind == cql::Batch::Kind::kCounter) return WriteType::kCounter;
  return kind == cql::Batch::Kind::kLogged ? WriteType::kBatch : WriteType::kUnloggedBatch;
}

}  // namespace

Writer::Writer(storage::Engine& engine, ConditionLocks& locks)
    : impl_(std::make_unique<Impl>(engine, locks)) {}
Writer::~Writer() = default;

bool Writer::has_pending() const { return impl_->turn.has_pending(); }
void Writer::commit() { impl_->turn.commit(); }

void Writer::execute(const WritePlan& plan, const Arguments& arguments, const ReplyTo& to) {
  auto resolved = impl_->resolve_json(plan, arguments.values, arguments);
  if (!resolved) return impl_->refuse(to, resolved.error());
  if (plan.is_conditional()) {
    const BatchItem item{*resolved, arguments.values};
    return impl_->execute_conditional({&item, 1}, arguments, to);
  }
  if (auto status = impl_->stage(**resolved, arguments.values, arguments); !status) {
    return impl_->refuse(to, status.error());
  }
  const bool is_counter = plan.is_counter();
  impl_->finish(is_counter ? WriteType::kCounter : WriteType::kSimple, arguments, to);
}

void Writer::execute_batch(cql::Batch::Kind kind, std::span<const BatchItem> items,
                           const Arguments& arguments, const ReplyTo& to) {
  std::vector<const WritePlan*> plans;
  for (const BatchItem& item : items) plans.push_back(item.plan);
  if (auto status = check_batch(kind, plans, false); !status) {
    return impl_->refuse(to, status.error());
  }
  std::vector<BatchItem> resolved;
  bool has_conditions = false;
  for (const BatchItem& item : items) {
    auto plan = impl_->resolve_json(*item.plan, item.values, arguments);
    if (!plan) return impl_->refuse(to, plan.error());
    resolved.push_back({*plan, item.values});
    has_conditions = has_conditions || item.plan->is_conditional();
  }
  if (has_conditions) return impl_->execute_conditional(resolved, arguments, to);
  Arguments same_time = arguments;
  if (!same_time.timestamp_us) {
    same_time.timestamp_us = impl_->locks.next_timestamp_us();
  }
  for (const BatchItem& item : resolved) {
    if (auto status = impl_->stage(*item.plan, item.values, same_time); !status) {
      return impl_->refuse(to, status.error());
    }
  }
  impl_->finish(batch_type(kind), arguments, to);
}

cql::Result<const WritePlan*> Writer::Impl::resolve_json(const WritePlan& plan,
                                                         std::span<const protocol::Value> values,
                                                         const Arguments& arguments) {
  if (!plan.json_) [[likely]]
    return &plan;
  auto with_row = plan.with_json_row(evaluation_of(values, arguments));
  if (!with_row) return std::unexpected(std::move(with_row.error()));
  return &json_plans.emplace_back(std::move(*with_row));
}

cql::Result<int64_t> Writer::Impl::timestamp_us(const WritePlan& plan,
                                                const cql::Evaluation& evaluation,
                                                const Arguments& arguments) {
  if (plan.has_timestamp()) {
    auto given_us = plan.attributes_.timestamp_us(evaluation);
    if (!given_us) return std::unexpected(std::move(given_us.error()));
    if (*given_us) return **given_us;
  }
  if (arguments.timestamp_us) return *arguments.timestamp_us;
  return locks.next_timestamp_us();
}

cql::Status Writer::Impl::stage(const WritePlan& plan, std::span<const protocol::Value> values,
                                const Arguments& arguments) {
  const cql::Evaluation evaluation = evaluation_of(values, arguments);
  auto time_us = timestamp_us(plan, evaluation, arguments);
  if (!time_us) return std::unexpected(std::move(time_us.error()));
  turn.keep(plan.table_);
  return encoder.encode(plan, evaluation, *time_us, staged);
}

void Writer::Impl::finish(WriteType type, const Arguments& arguments, const ReplyTo& to) {
  turn.add(staged);
  turn.answer(to, type, arguments.consistency);
  forget_request();
  if (turn.is_full()) turn.commit();
}

void Writer::Impl::refuse(const ReplyTo& to, const protocol::ErrorMessage& error) {
  reply_error(to, error);
  forget_request();
}

void Writer::Impl::forget_request() {
  staged.clear();
  arena.clear();
  if (!json_plans.empty()) json_plans.clear();
}

}  // namespace cqlperf::server
