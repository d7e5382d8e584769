#include <stretto_upcxx/engine.hpp>

#include <stretto/task.hpp>

#include <utility>

#include "faults.hpp"

namespace stretto {

upcxx_scope::upcxx_scope(std::mutex& inside) {
  if (::upcxx::master_persona().active_with_caller()) return;
  held_ = std::unique_lock(inside);
  as_master_.emplace(::upcxx::master_persona());
}

upcxx_scope::upcxx_scope(std::mutex& inside, std::try_to_lock_t) {
  if (::upcxx::master_persona().active_with_caller()) return;
  held_ = std::unique_lock(inside, std::try_to_lock);
  has_persona_ = held_.owns_lock();
  if (has_persona_) as_master_.emplace(::upcxx::master_persona());
}

namespace upcxx_detail {

namespace {
std::atomic<engine*> present{nullptr};
}

engine& engine::of_process() {
  engine* const e = present.load(std::memory_order_acquire);
  if (!e) throw not_usable("no runtime uses the module now");
  return *e;
}

engine::~engine() {
  engine* self = this;
  present.compare_exchange_strong(self, nullptr);
}

void engine::expect_calls() { present.store(this, std::memory_order_release); }

void engine::open(const future<void>& done) {
  done_ = done;
  add_pending();  // the listening
  open_.store(true, std::memory_order_release);
}

operation& engine::track(std::unique_ptr<operation> o) {
  o->index = pending_operations_.size();
  pending_operations_.push_back(std::move(o));
  return *pending_operations_.back();
}

operation& engine::add(std::unique_ptr<operation> o) {
  add_pending();
  return track(std::move(o));
}

void engine::end(operation& o) {
  const std::size_t at = o.index;
  ended_.push_back(std::move(pending_operations_[at]));
  if (at + 1 != pending_operations_.size()) {
    pending_operations_[at] = std::move(pending_operations_.back());
    pending_operations_[at]->index = at;
  }
  pending_operations_.pop_back();
}

void engine::add_collective(std::unique_ptr<operation> o, const ::upcxx::team& team, entry when) {
  add_pending();
  if (!collectives_.empty() || when == entry::when_all_have_arrived)
    collectives_.push_back({std::move(o), &team, when});
  else track(std::move(o)).start();
}

void engine::begin_collectives() {
  while (!collectives_.empty()) {
    auto& first = collectives_.front();
    if (first.when == entry::when_all_have_arrived) {
      if (!std::exchange(barrier_has_begun_, true))
        ::upcxx::barrier_async(*first.team).then([this] { all_have_arrived_ = true; });
      if (!all_have_arrived_) return;
      barrier_has_begun_ = all_have_arrived_ = false;
    }
    auto next = std::move(first.is);
    collectives_.pop_front();
    track(std::move(next)).start();
  }
}

void engine::arrive(std::unique_ptr<arrived_call> call) { arrived_.push_back(std::move(call)); }

call_counts engine::call_counts_now() const noexcept {
  return {sent_, served_, pending_operations_.size() + ended_.size() + collectives_.size() - 1};
}

std::size_t engine::poll() {
  std::vector<std::unique_ptr<operation>> ended;
  std::vector<std::unique_ptr<arrived_call>> arrived;
  {
    const upcxx_scope held(inside_, std::try_to_lock);
    if (!held.has_persona()) return 0;
    ::upcxx::progress();
    begin_collectives();
    ended.swap(ended_);
    arrived.swap(arrived_);
  }
  for (auto& o : ended) o->finish();
  for (auto& call : arrived) async(name("remote call"), [call = std::move(call)] { call->run(); });
  remove_pending(ended.size());
  return ended.size() + arrived.size();
}

void engine::fail(std::exception_ptr why) noexcept {
  if (!open_.exchange(false)) return;
  std::vector<operation*> all;
  {
    const auto held = calling();
    for (auto& o : pending_operations_) all.push_back(o.get());  // callbacks of UPC++ may still refer to them
    for (auto& o : ended_) all.push_back(o.get());
    for (auto& c : collectives_) all.push_back(c.is.get());
  }
  for (operation* o : all) o->poison(why);
  done_ = {};  // while the runtime of it exists
  remove_pending(all.size() + 1);
}

}  // namespace upcxx_detail
}  // namespace stretto
