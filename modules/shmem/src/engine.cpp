#include "engine.hpp"

#include <shmem.h>

#include <optional>
#include <utility>

namespace stretto::shmem {

void engine::begin(int pe, int pes, unsigned long* arrivals) {
  pe_ = pe, pes_ = pes, arrivals_ = arrivals;
  for (rounds_ = 0; 1 << rounds_ < pes;) ++rounds_;
}

future<void> engine::add_condition(const condition& c, const std::source_location& where) {
  promise<void> done(where);
  auto ended = done.get_future(where);
  add_pending();
  std::scoped_lock lock(pending_);
  conditions_.push_back({c, std::move(done)});
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
  collectives_.push_back({std::move(call), std::move(done)});
  return ended;
}

std::size_t engine::poll() {
  {
    std::scoped_lock lock(library);
    shmem_ulong_test(&never_, SHMEM_CMP_NE, 0);  // the library's progress
    test_locks();
    go_on_with_collectives();
  }
  test_conditions();
  std::vector<promise<void>> ended = std::exchange(ended_, {});
  for (auto& e : ended) e.set();
  remove_pending(ended.size());
  return ended.size();
}

void engine::test_conditions() {
  std::scoped_lock lock(pending_);
  for (std::size_t i = 0; i < conditions_.size();)
    if (conditions_[i].is.holds()) {
      ended_.push_back(std::move(conditions_[i].done));
      conditions_[i] = std::move(conditions_.back());
      conditions_.pop_back();
    } else {
      ++i;
    }
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
  {
    std::scoped_lock lock(pending_);
    for (auto& c : conditions_) all.push_back(std::move(c.done));
    for (auto& l : locks_) all.push_back(std::move(l.done));
    for (auto& c : collectives_) all.push_back(std::move(c.done));
    conditions_.clear(), locks_.clear(), collectives_.clear();
  }
  for (auto& one : all) one.poison(why);
  remove_pending(all.size());
}

}  // namespace stretto::shmem
