#include "engine.hpp"

#include <shmem.h>
#include <stretto/error.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace stretto::shmem {

namespace {

/// A poll reads that many in any case: they take about as long as the library's progress.
constexpr std::size_t fewest_elements = 1024;

/// M40.
std::exception_ptr unmet(const pending_condition& c, const std::exception_ptr& why) {
  return std::make_exception_ptr(error("M40", "a condition on symmetric memory was not met")
                                     .fact("condition", to_string(c.is))
                                     .fact("value", value_text(c.is, c.is.read()))
                                     .fact("called", c.where)
                                     .caused_by(why));
}

}  // namespace

void engine::begin(int pe, int pes, unsigned long* arrivals, const counted_ends& counts) {
  pe_ = pe, pes_ = pes, arrivals_ = arrivals, counts_ = counts;
  for (rounds_ = 0; 1 << rounds_ < pes;) ++rounds_;
}

future<void> engine::add_condition(const condition& c, const std::source_location& where) {
  promise<void> done(where);
  auto ended = done.get_future(where);
  add_pending();
  std::scoped_lock lock(pending_);
  conditions_.add({c, std::move(done), where, std::chrono::steady_clock::now()}, met_);
  return ended;
}

future<void> engine::add_lock(long* symmetric, const std::source_location& where) {
  promise<void> done(where);
  auto ended = done.get_future(where);
  add_pending();
  std::scoped_lock lock(pending_);
  locks_.push_back({symmetric, std::move(done)});
  return ended;
}

future<void> engine::add_collective(std::function<void()> call, const std::source_location& where) {
  promise<void> done(where);
  auto ended = done.get_future(where);
  add_pending();
  std::scoped_lock lock(pending_);
  collectives_.push_back({std::move(call), std::move(done), std::chrono::steady_clock::now()});
  return ended;
}

/// Conditions come first, since most are met without the library's progress. A poll that has met one does not wait for
/// that, unless the poll before it did not either.
std::size_t engine::poll() {
  test_conditions();
  if (ended_.empty() || has_left_out_progress_) {
    {
      std::scoped_lock lock(library);
      shmem_ulong_test(&never_, SHMEM_CMP_NE, 0);  // the library's progress
      test_locks();
      go_on_with_collectives();
    }
    has_left_out_progress_ = false;
  } else {
    has_left_out_progress_ = true;
  }
  std::vector<promise<void>> ended = std::exchange(ended_, {});
  for (auto& e : ended) e.set();
  remove_pending(ended.size());
  return ended.size();
}

void engine::test_conditions() {
  std::vector<pending_condition> met;
  {
    std::scoped_lock lock(pending_);
    conditions_.check(elements_to_check(), met_);
    met.swap(met_);
  }
  if (met.empty()) return;
  const auto now = std::chrono::steady_clock::now();
  for (auto& c : met) {
    counts_.conditions.add(1, now - c.since, c.is.bytes);
    ended_.push_back(std::move(c.done));
  }
}

/// An idle worker polls all the time, and reads a few elements in each poll. The service thread polls rarely, and reads
/// more: about a nanosecond for each, for at most an eighth of the time.
std::size_t engine::elements_to_check() {
  if (conditions_.size() <= fewest_elements) return fewest_elements;
  const auto now = std::chrono::steady_clock::now();
  const auto since = std::chrono::nanoseconds(now - std::exchange(last_check_, now)).count();
  return std::max(fewest_elements, static_cast<std::size_t>(since) / 8);
}

void engine::test_locks() {
  std::scoped_lock lock(pending_);
  for (std::size_t n = locks_.size(); n > 0; --n) {
    wanted_lock one = std::move(locks_.front());
    locks_.pop_front();
    if (shmem_test_lock(one.at) == 0) ended_.push_back(std::move(one.done));
    else locks_.push_back(std::move(one));
  }
}

void engine::go_on_with_collectives() {
  for (;;) {
    std::optional<collective_call> next;
    {
      std::scoped_lock lock(pending_);
      if (collectives_.empty() || !all_have_arrived()) return;
      next = std::move(collectives_.front());
      collectives_.pop_front();
    }
    is_under_way_ = false;
    try {
      next->enter();
      counts_.collectives.add(1, std::chrono::steady_clock::now() - next->since);
      ended_.push_back(std::move(next->done));
    } catch (...) {
      next->done.poison(std::current_exception());
      remove_pending();
    }
  }
}

bool engine::all_have_arrived() {
  if (!is_under_way_) {
    is_under_way_ = true;
    ++number_;
    round_ = 0;
    if (rounds_ > 0) write_arrival(0);
  }
  while (round_ < rounds_ && shmem_ulong_test(&arrivals_[round_], SHMEM_CMP_GE, number_)) {
    if (++round_ < rounds_) write_arrival(round_);
  }
  return round_ == rounds_;
}

void engine::write_arrival(int round) {
  shmem_ulong_atomic_set(&arrivals_[round], number_, (pe_ + (1 << round)) % pes_);
}

void engine::fail(std::exception_ptr why) noexcept {
  std::vector<promise<void>> all;
  std::vector<pending_condition> conditions;
  {
    std::scoped_lock lock(pending_);
    conditions = conditions_.take_all();
    for (auto& c : met_) conditions.push_back(std::move(c));
    met_.clear();
    for (auto& l : locks_) all.push_back(std::move(l.done));
    for (auto& c : collectives_) all.push_back(std::move(c.done));
    locks_.clear(), collectives_.clear();
  }
  for (auto& c : conditions) c.done.poison(unmet(c, why));
  for (auto& one : all) one.poison(why);
  remove_pending(all.size() + conditions.size());
}

}  // namespace stretto::shmem
