#include "server/reader.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "core/clock.h"
#include "server/limits.h"
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
  bool may_run(const Scan& scan) const;
  void settle(const Scan& scan, size_t held_before, size_t held_now);
  void forget(const ReplyTarget& target);

  // What the scans of a connection hold of answers that are not whole yet. Beyond kBacklogBytesMax
  // only one of them goes on.
  struct Share {
    size_t held_bytes = 0;
    const Scan* leader = nullptr;
  };

  storage::Engine& engine;
  const Catalog& catalog;
  PointQueue points;
  std::deque<std::unique_ptr<Scan>> scans = {};
  std::unordered_map<const ReplyTarget*, Share> shares = {};  // of those that hold anything
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
  if (scans.back()->run(core::steady_clock(), 0)) {
    scans.pop_back();
  } else {
    settle(*scans.back(), 0, scans.back()->held_bytes());
  }
  return {};
}

void Reader::Impl::run_scans() {
  const core::Clock& clock = core::steady_clock();
  int64_t now_ns = clock.now_ns();
  const int64_t end_ns = now_ns + kTurnNs;
  size_t waiting = 0;  // scans in a row that may not run
  while (waiting < scans.size() && now_ns < end_ns) {
    std::unique_ptr<Scan> scan = std::move(scans.front());
    scans.pop_front();
    if (!may_run(*scan)) {
      ++waiting;
      scans.push_back(std::move(scan));
      continue;
    }
    waiting = 0;
    const size_t held_bytes = scan->held_bytes();
    const bool is_answered = scan->run(clock, std::min(now_ns + kSliceNs, end_ns));
    settle(*scan, held_bytes, is_answered ? 0 : scan->held_bytes());
    if (!is_answered) scans.push_back(std::move(scan));
    now_ns = clock.now_ns();
  }
}

// A client that does not take its answers, or wants many large ones at once, must not fill the
// memory.
bool Reader::Impl::may_run(const Scan& scan) const {
  if (!scan.target()->has_room()) return false;
  const auto share = shares.find(scan.target());
  if (share == shares.end() || share->second.held_bytes <= kBacklogBytesMax) return true;
  return share->second.leader == nullptr || share->second.leader == &scan;
}

void Reader::Impl::settle(const Scan& scan, size_t held_before, size_t held_now) {
  if (held_before == 0 && held_now == 0) return;
  const auto place = shares.try_emplace(scan.target()).first;
  Share& share = place->second;
  share.held_bytes += held_now - held_before;
  if (share.held_bytes == 0) {
    shares.erase(place);
  } else if (held_now == 0 && share.leader == &scan) {
    share.leader = nullptr;
  } else if (share.leader == nullptr && share.held_bytes > kBacklogBytesMax) {
    share.leader = &scan;
  }
}

void Reader::Impl::forget(const ReplyTarget& target) {
  points.forget(target);
  std::erase_if(scans, [&](const auto& scan) { return scan->target() == &target; });
  shares.erase(&target);
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

bool Reader::has_work() const {
  return impl_->points.can_run() ||
         std::ranges::any_of(impl_->scans, [&](const auto& scan) { return impl_->may_run(*scan); });
}

void Reader::run_turn() {
  if (impl_->points.can_run()) impl_->points.run();
  if (!impl_->scans.empty()) impl_->run_scans();
}

void Reader::forget(const ReplyTarget& target) { impl_->forget(target); }

}  // namespace cqlperf::server
