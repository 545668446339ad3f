#include "server/reader.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "core/clock.h"
#include "server/reader_points.h"
#include "server/reader_query.h"
#include "server/reader_scan.h"

namespace cqlperf::server {
namespace {

// What scans may take of one turn, and one of them before it is another's turn.
constexpr int64_t kTurnNs = core::kNanosPerMilli;
constexpr int64_t kSliceNs = kTurnNs / 4;

}  // namespace

struct Reader::Impl {
  Impl(storage::Engine& with_engine, const Catalog& with_catalog)
      : engine(with_engine), catalog(with_catalog), points(with_engine) {}

  cql::Status start(std::shared_ptr<const SelectPlan> plan, const Arguments& arguments,
                    const ReplyTo& to);
  void run_scans();

  storage::Engine& engine;
  const Catalog& catalog;
  PointQueue points;
  std::deque<std::unique_ptr<Scan>> scans = {};
  cql::Arena arena = {};
};

cql::Status Reader::Impl::start(std::shared_ptr<const SelectPlan> plan, const Arguments& arguments,
                                const ReplyTo& to) {
  arena.clear();
  const cql::Evaluation evaluation{arguments.values, arguments.now_us, &arena};
  const bool is_resumed = arguments.paging_state && !arguments.paging_state->empty();
  if (!plan->point_terms().empty() && !is_resumed) {
    auto limit = plan->evaluate_limit(evaluation);
    if (limit) limit = plan->evaluate_partition_limit(evaluation);
    if (!limit) return std::unexpected(std::move(limit.error()));
    return points.add(std::move(plan), arguments, evaluation, to);
  }
  auto query = make_query(std::move(plan), arguments, evaluation, to, engine, catalog);
  if (!query) return std::unexpected(std::move(query.error()));
  scans.push_back(std::make_unique<Scan>(std::move(*query)));
  if (!engine.keeps_nothing()) return {};
  // There is nothing to wait for.
  if (scans.back()->run(core::steady_clock(), 0)) scans.pop_back();
  return {};
}

void Reader::Impl::run_scans() {
  const core::Clock& clock = core::steady_clock();
  int64_t now_ns = clock.now_ns();
  const int64_t end_ns = now_ns + kTurnNs;
  while (!scans.empty() && now_ns < end_ns) {
    std::unique_ptr<Scan> scan = std::move(scans.front());
    scans.pop_front();
    if (!scan->run(clock, std::min(now_ns + kSliceNs, end_ns))) scans.push_back(std::move(scan));
    now_ns = clock.now_ns();
  }
}

Reader::Reader(storage::Engine& engine, const Catalog& catalog)
    : impl_(std::make_unique<Impl>(engine, catalog)) {}

Reader::~Reader() = default;

void Reader::execute(std::shared_ptr<const SelectPlan> plan, const Arguments& arguments,
                     const ReplyTo& to) {
  if (auto status = impl_->start(std::move(plan), arguments, to); !status) {
    reply_error(to, status.error());
  }
}

bool Reader::has_work() const { return !impl_->points.empty() || !impl_->scans.empty(); }

void Reader::run_turn() {
  if (!impl_->points.empty()) impl_->points.run();
  if (!impl_->scans.empty()) impl_->run_scans();
}

void Reader::forget(const ReplyTarget& target) {
  impl_->points.forget(target);
  std::erase_if(impl_->scans, [&](const auto& scan) { return scan->target() == &target; });
}

}  // namespace cqlperf::server
