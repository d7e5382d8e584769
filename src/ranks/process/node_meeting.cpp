#include "ranks/process/node_meeting.hpp"

#include <string>
#include <utility>

#include "ranks/call_error.hpp"
#include "ranks/messages/request.hpp"
#include "ranks/messages/usage_observer.hpp"
#include "ranks/messages/wait_targets.hpp"

namespace stretto::ranks {
namespace {

void keep_meeting(completion&) noexcept {}
std::string describe_meeting(const completion&) { return "the other ranks of a collective"; }
void add_absent_ranks(const request& one, wait_targets& to);
constexpr request_kind kind_of_meetings{{keep_meeting, describe_meeting}, nullptr, nullptr, nullptr, add_absent_ranks};

/// A request of a meeting, so that reports find it.
struct resumption : request {
  explicit resumption(const node_meeting& at) noexcept : request(kind_of_meetings), meeting(at) {}
  const node_meeting& meeting;
};

void add_absent_ranks(const request& one, wait_targets& to) {
  to.ranks = static_cast<const resumption&>(one).meeting.absent();
}

/// With less to move, one thread is done before it could wake another. If each rank has a worker, the others spin while
/// they wait, and resume at once.
constexpr std::int64_t least_shared_bytes = 256 << 10, least_shared_by_spinners = 8 << 10;

[[noreturn]] void refuse_meeting(error_class which) {
  if (which == error_class::truncate) throw call_error(which, "a rank sent more bytes than the buffer for them has");
  throw call_error(which, "ranks of the communicator called different collectives, or with different roots");
}

}  // namespace

/// On the stack of the rank's call.
struct node_meeting::present_rank : collective_member {
  present_rank(const node_meeting& at, int number, const collective_call& with)
      : collective_member(with), rank(number), resumed(at) {}

  const int rank;
  resumption resumed;
  std::atomic<std::int64_t> next_part{0};  // of its range in shared work
};

node_meeting::node_meeting(std::shared_ptr<const communicator_members> members, int workers)
    : of_(std::move(members)),
      workers_(workers),
      point_(static_cast<std::size_t>(of_->local.size())),
      members_(point_.size()) {}

std::shared_ptr<node_meeting> meeting_table::share(const std::shared_ptr<const communicator_members>& members,
                                                   int workers) {
  const std::lock_guard lock(mutex_);
  std::erase_if(all_, [](const auto& entry) { return entry.second.expired(); });
  auto& known = all_[members.get()];
  auto shared = known.lock();
  if (!shared) known = shared = std::make_shared<node_meeting>(members, workers);
  return shared;
}

void node_meeting::perform(int rank, const collective_call& call, const std::source_location& where) {
  present_rank own(*this, rank, call);
  if (meet(own, where)) perform_for_all(own, where);
  else if (shared_) perform_parts(own, where);
  const auto error = static_cast<error_class>(own.error.load(std::memory_order_relaxed));
  if (error != error_class::success) refuse_meeting(error);
}

bool node_meeting::meet(present_rank& own, const std::source_location& where) {
  own.resumed.activate();
  if (point_.come(static_cast<std::size_t>(own.rank), own)) return true;
  wait_for(own.resumed, where);
  return false;
}

void node_meeting::resume_others(int rank) noexcept {
  point_.resume_others(static_cast<std::size_t>(rank), [](present_rank& one) { one.resumed.end(); });
}

void node_meeting::perform_for_all(present_rank& own, const std::source_location& where) {
  if (usage_observer::installed) [[unlikely]]
    usage_observer::installed->ends_meeting();
  if (shared_) shared_ = nullptr;  // the others read its cache line
  if (!do_calls_agree()) {
    for (std::size_t i = 0; i < point_.size(); ++i) point_.entry(i).note(error_class::other);
  } else if (own.call.kind != collective_kind::barrier) {
    for (std::size_t i = 0; i < point_.size(); ++i) members_[i] = &point_.entry(i);
    const direct_collective work(members_);
    const bool do_others_spin = std::cmp_greater_equal(workers_, point_.size());
    const std::int64_t least = do_others_spin ? least_shared_by_spinners : least_shared_bytes;
    if (workers_ > 1 && work.parts() > 1 && work.bytes() >= least) return share(own, work, where);
    for (std::int64_t i = 0; i < work.parts(); ++i) work.perform(i, own);
  }
  resume_others(own.rank);
}

void node_meeting::share(present_rank& own, const direct_collective& work, const std::source_location& where) {
  shared_ = &work;
  unclaimed_.store(work.parts(), std::memory_order_relaxed);
  resume_others(own.rank);
  perform_parts(own, where);
}

void node_meeting::perform_parts(present_rank& own, const std::source_location& where) {
  const auto ranks = static_cast<std::int64_t>(point_.size());
  for (std::int64_t i = 0; i < ranks && unclaimed_.load(std::memory_order_relaxed) > 0; ++i)
    perform_range((own.rank + i) % ranks, own);
  if (meet(own, where)) resume_others(own.rank);
}

void node_meeting::perform_range(std::int64_t rank, const present_rank& by) {
  const direct_collective& work = *shared_;
  const auto ranks = static_cast<std::int64_t>(point_.size());
  const std::int64_t first = rank * work.parts() / ranks, last = (rank + 1) * work.parts() / ranks;
  auto& next = static_cast<present_rank*>(members_[static_cast<std::size_t>(rank)])->next_part;
  for (;;) {
    const std::int64_t part = first + next.fetch_add(1, std::memory_order_relaxed);
    if (part >= last) return;
    unclaimed_.fetch_sub(1, std::memory_order_relaxed);
    work.perform(part, by);
  }
}

std::vector<world_rank> node_meeting::absent() const {
  std::vector<world_rank> found;
  for (std::size_t i = 0; i < point_.size(); ++i)
    if (!point_.has_come(i)) found.push_back(of_->local[static_cast<int>(i)]);
  return found;
}

bool node_meeting::do_calls_agree() const {
  const collective_call& first = point_.entry(0).call;
  for (std::size_t i = 1; i < point_.size(); ++i) {
    const collective_call& other = point_.entry(i).call;
    if (other.kind != first.kind || other.root != first.root) return false;
  }
  return true;
}

}  // namespace stretto::ranks
