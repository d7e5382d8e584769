#include "event/phases.hpp"

#include <algorithm>
#include <cstring>

#include "base/sanitizers.hpp"
#include "event/event_trigger.hpp"

namespace stretto::detail {

namespace {
constexpr std::size_t first_values = 16;  // initial slots; half of them keep values of past phases
}

void phases::start(std::uint32_t arrivals, const phase_fold& fold, const std::source_location& where) {
  records_.clear();
  poisoned_.clear();
  values_.clear();
  if (fold.bytes) values_.resize(first_values);
  fold_ = fold;
  where_ = where;
  base_ = arrivals;
  any_poisoned_.store(false, std::memory_order_relaxed);
  is_lost_.store(false, std::memory_order_relaxed);
  lost_ = {};
  phase_.store(0, std::memory_order_relaxed);
  for (auto& one : arrived_at_) one.store(0, std::memory_order_relaxed);  // left by an earlier barrier
  word_.store(word_of(0, arrivals, arrivals), std::memory_order_release);
}

phases::record* phases::find(std::uint64_t phase) noexcept {
  const auto it = std::ranges::lower_bound(records_, phase, {}, &record::phase);
  return it != records_.end() && it->phase == phase ? &*it : nullptr;
}

phases::record& phases::at(std::uint64_t phase) {
  const auto it = std::ranges::lower_bound(records_, phase, {}, &record::phase);
  if (it != records_.end() && it->phase == phase) return *it;
  return *records_.insert(it, record{.phase = phase});
}

std::int64_t phases::expected(std::uint64_t phase) const noexcept {
  std::int64_t sum = base_;
  for (const auto& r : records_)
    if (r.phase <= phase) sum += r.delta;
  return sum;
}

phases::outcome phases::announce(std::uint64_t phase, std::uint32_t count) noexcept {
  for (;;) {
    auto word = word_.load(std::memory_order_acquire);
    while (phase_.load(std::memory_order_acquire) == phase && tag(word) == tag_of(phase) && unclaimed(word) >= count)
      if (word_.compare_exchange_weak(word, word - count * one_unclaimed, std::memory_order_acq_rel,
                                      std::memory_order_acquire))
        return outcome::done;

    std::scoped_lock lock(lock_);
    const auto now = phase_.load(std::memory_order_relaxed);
    if (phase < now) return outcome::past;
    if (phase == now) {
      if (unclaimed(word_.load(std::memory_order_acquire)) < count) return outcome::too_many;
      continue;  // the phase has begun meanwhile
    }
    const record* before = find(phase);
    if (expected(phase) - (before ? before->announced : 0) < count) return outcome::too_many;
    at(phase).announced += count;
    return outcome::done;
  }
}

void phases::complete_arrivals(std::uint64_t phase, std::uint32_t count, const failure* cause, const void* value,
                               base::thread_context& context, const std::source_location& where) noexcept {
  base::announce_release(this);
  if (cause || value) {
    std::scoped_lock lock(lock_);
    if (cause) {
      record& r = at(phase);
      if (!r.cause) r.cause = failure_ref::share(cause);
    } else {
      fold_.apply(value_of(phase), value);
    }
  }
  for (;;) {
    auto word = word_.load(std::memory_order_acquire);
    while (phase_.load(std::memory_order_acquire) == phase && tag(word) == tag_of(phase)) {
      if (!word_.compare_exchange_weak(word, word - count, std::memory_order_acq_rel, std::memory_order_acquire))
        continue;
      if (outstanding(word - count) == 0) end_phase(context);
      else remember(word - count, where);
      return;
    }
    std::scoped_lock lock(lock_);
    if (phase_.load(std::memory_order_relaxed) == phase) continue;
    at(phase).arrived += count;
    return;
  }
}

phases::outcome phases::alter(std::uint64_t phase, std::int32_t delta, base::thread_context& context) noexcept {
  base::announce_release(this);
  bool ends = false;
  {
    std::scoped_lock lock(lock_);
    const auto now = phase_.load(std::memory_order_relaxed);
    auto word = word_.load(std::memory_order_acquire);
    if (phase < now || (phase == now && base_ > 0 && outstanding(word) == 0)) return outcome::past;
    if (expected(phase) + delta < 0) return outcome::too_few;
    if (expected(phase) + delta > static_cast<std::int64_t>(count_mask)) return outcome::too_many;
    for (const auto& r : records_) {
      if (r.phase <= now || r.phase < phase) continue;
      if (expected(r.phase) + delta < r.announced) return outcome::too_few;
      if (expected(r.phase) + delta > static_cast<std::int64_t>(count_mask)) return outcome::too_many;
    }
    if (phase > now) {
      at(phase).delta += delta;
    } else {
      std::uint64_t after;
      do {
        if (base_ > 0 && outstanding(word) == 0) return outcome::past;
        if (static_cast<std::int64_t>(unclaimed(word)) + delta < 0) return outcome::too_few;
        after = word_of(now, unclaimed(word) + delta, outstanding(word) + delta);
      } while (!word_.compare_exchange_weak(word, after, std::memory_order_acq_rel, std::memory_order_acquire));
      base_ += delta;
      ends = delta < 0 && outstanding(after) == 0;
    }
  }
  if (ends) end_phase(context);
  return outcome::done;
}

void phases::end_phase(base::thread_context& context) noexcept {
  std::vector<ended_event> ended;
  {
    std::scoped_lock lock(lock_);
    base::announce_acquire(this);  // the memory of earlier arrivals is visible to the next phase, too
    bool next_has_ended;
    do {
      const auto now = phase_.load(std::memory_order_relaxed);
      if (!records_.empty() && records_.front().phase == now) {
        record r = std::move(records_.front());
        records_.erase(records_.begin());
        if (r.asked != event()) ended.push_back({r.asked, r.cause});
        if (r.cause) {
          poisoned_.push_back({now, std::move(r.cause), r.asked});
          any_poisoned_.store(true, std::memory_order_relaxed);
        }
      }
      std::uint64_t announced = 0, arrived = 0;
      if (!records_.empty() && records_.front().phase == now + 1) {
        record& r = records_.front();
        base_ += std::exchange(r.delta, 0);
        announced = std::exchange(r.announced, 0);
        arrived = std::exchange(r.arrived, 0);
      }
      const auto base = static_cast<std::uint64_t>(base_);
      phase_.store(now + 1, std::memory_order_release);
      word_.store(word_of(now + 1, base - announced, base - arrived), std::memory_order_release);
      next_has_ended = base > 0 && arrived == base;
    } while (next_has_ended);
  }
  auto& cache = event_cache::of(context);
  for (auto& [e, cause] : ended) {
    slot& s = cache.table->at(e);
    if (cause) poison_slot(s, generation_of(e), std::move(cause), ended_by::program, cache, context);
    else trigger_slot(s, generation_of(e), ended_by::program, cache, context);
  }
}

event phases::event_at(std::uint64_t phase, base::thread_context& context, const std::source_location& where) {
  if (present() > phase && !any_poisoned_.load(std::memory_order_relaxed)) {
    base::announce_acquire(this);
    return {};
  }
  event fresh;
  failure_ref cause;
  {
    std::scoped_lock lock(lock_);
    if (phase >= phase_.load(std::memory_order_relaxed)) {
      if (!lost_) {
        record& r = at(phase);
        if (r.asked == event()) r.asked = make_program_event(context, where);
        return r.asked;
      }
      fresh = make_program_event(context, where);
      cause = lost_;
    } else {
      const auto it = std::ranges::lower_bound(poisoned_, phase, {}, &poisoned_phase::phase);
      if (it == poisoned_.end() || it->phase != phase) {
        base::announce_acquire(this);
        return {};
      }
      if (it->asked != event()) return it->asked;
      fresh = it->asked = make_program_event(context, where);
      cause = it->cause;
    }
  }
  end_event(fresh, std::move(cause), context, where);
  return fresh;
}

std::vector<event> phases::asked_from(std::uint64_t phase) {
  std::vector<event> found;
  std::scoped_lock lock(lock_);
  for (const auto& r : records_)
    if (r.phase >= phase && r.asked != event()) found.push_back(r.asked);
  return found;
}

std::vector<phases::awaited> phases::awaited_phases() {
  std::vector<awaited> found;
  std::scoped_lock lock(lock_);
  const auto now = phase_.load(std::memory_order_relaxed);
  const auto word = word_.load(std::memory_order_acquire);
  for (const auto& r : records_) {
    if (r.asked == event()) continue;
    const auto all = static_cast<std::uint64_t>(expected(r.phase));
    if (r.phase != now) {
      found.push_back({r.phase, r.asked, all, r.arrived, r.announced - r.arrived, {}});
      continue;
    }
    found.push_back({r.phase, r.asked, all, all - outstanding(word), outstanding(word) - unclaimed(word), {}});
    for (const auto& one : arrived_at_)
      if (const auto at = one.load(std::memory_order_relaxed); (at & tag_mask) == (word & tag_mask) && at & ~tag_mask)
        found.back().arrived_at.push_back(std::bit_cast<std::source_location>(at & ~tag_mask));
  }
  return found;
}

std::size_t phases::poison_missing_arrivals(std::uint64_t last, const failure_ref& cause,
                                            base::thread_context& context) noexcept {
  std::size_t poisoned = 0;
  for (std::uint64_t phase = present(); phase <= last; ++phase) {
    const auto [all, announced] = expected_and_announced(phase);
    if (all == announced) continue;
    const auto missing = static_cast<std::uint32_t>(all - announced);
    if (announce(phase, missing) != outcome::done) continue;
    complete_arrivals(phase, missing, cause.get(), nullptr, context, where_);
    ++poisoned;
  }
  return poisoned;
}

void phases::stop(failure_ref cause, base::thread_context& context) noexcept {
  std::vector<record> left;
  {
    std::scoped_lock lock(lock_);
    left.swap(records_);
    poisoned_.clear();
    values_.clear();
  }
  auto& cache = event_cache::of(context);
  for (const auto& r : left)
    if (r.asked != event())
      poison_slot(cache.table->at(r.asked), generation_of(r.asked), cause, ended_by::program, cache, context);
}

std::vector<std::pair<std::uint64_t, failure_ref>> phases::poisoned_between(std::uint64_t first, std::uint64_t last) {
  std::vector<std::pair<std::uint64_t, failure_ref>> found;
  const std::scoped_lock lock(lock_);
  for (auto it = std::ranges::lower_bound(poisoned_, first, {}, &poisoned_phase::phase);
       it != poisoned_.end() && it->phase < last; ++it)
    found.emplace_back(it->phase, it->cause);
  return found;
}

void phases::lose(failure_ref cause, base::thread_context& context) noexcept {
  std::vector<event> asked;
  {
    std::scoped_lock lock(lock_);
    lost_ = cause;
    for (record& r : records_)
      if (r.asked != event()) asked.push_back(std::exchange(r.asked, event()));
  }
  is_lost_.store(true, std::memory_order_release);
  auto& cache = event_cache::of(context);
  for (const event e : asked)
    poison_slot(cache.table->at(e), generation_of(e), cause, ended_by::program, cache, context);
}

std::byte* phases::value_of(std::uint64_t phase) {
  const auto now = phase_.load(std::memory_order_relaxed);
  while (phase >= now + values_.size() / 2) {
    std::vector<value_slot> grown(2 * values_.size());
    for (auto& v : values_)
      if (v.phase != ~std::uint64_t{0}) grown[v.phase % grown.size()] = std::move(v);
    values_.swap(grown);
  }
  value_slot& v = values_[phase % values_.size()];
  if (v.phase != phase) {
    v.phase = phase;
    v.bytes.resize(fold_.bytes);
    fold_.begin(v.bytes.data());
  }
  return v.bytes.data();
}

phases::value_state phases::value(std::uint64_t phase, void* into, failure_ref& cause) noexcept {
  std::scoped_lock lock(lock_);
  const auto now = phase_.load(std::memory_order_relaxed);
  if (phase >= now) {
    cause = lost_;
    return cause ? value_state::poisoned : value_state::pending;
  }
  const auto it = std::ranges::lower_bound(poisoned_, phase, {}, &poisoned_phase::phase);
  if (it != poisoned_.end() && it->phase == phase) {
    cause = it->cause;
    return value_state::poisoned;
  }
  if (phase + first_values / 2 < now) return value_state::forgotten;
  const value_slot& v = values_[phase % values_.size()];
  if (v.phase == phase) std::memcpy(into, v.bytes.data(), fold_.bytes);
  else fold_.begin(into);  // no arrival had a value
  return value_state::ready;
}

std::pair<std::uint64_t, std::uint64_t> phases::expected_and_announced(std::uint64_t phase) noexcept {
  std::scoped_lock lock(lock_);
  const auto all = static_cast<std::uint64_t>(expected(phase));
  if (phase == phase_.load(std::memory_order_relaxed))
    return {all, all - unclaimed(word_.load(std::memory_order_acquire))};
  const record* r = find(phase);
  return {all, r ? r->announced : 0};
}

}  // namespace stretto::detail
