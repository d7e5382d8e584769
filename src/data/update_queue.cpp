#include "data/update_queue.hpp"

#include <mutex>

namespace stretto::data {
namespace {

/// Turns that wait for others stand in the way of later ones; so many are looked at when one ends, and the oldest always.
constexpr int most_passed_over = 16;

bool any_meets(const update_queue::turn* first, const box& b) noexcept {
  for (; first; first = first->next)
    if (first->where.meets(b)) return true;
  return false;
}

void grant_all(update_queue::turn* first, base::thread_context& context) noexcept {
  while (first) {
    update_queue::turn& t = *first;
    first = t.granted_next;  // the turn may be over when this returns
    t.granted(t, context);
  }
}

}  // namespace

bool update_queue::meets_active(const box& b) const noexcept { return any_meets(active_, b); }
bool update_queue::meets_waiting(const box& b) const noexcept { return any_meets(waiting_, b); }
bool update_queue::is_behind_another(const turn& t) const noexcept {
  for (const turn* w = waiting_; w != &t; w = w->next)
    if (w->where.meets(t.where)) return true;
  return false;
}

bool update_queue::try_begin(turn& t) noexcept {
  const std::scoped_lock lock(lock_);
  if (meets_active(t.where) || meets_waiting(t.where)) return false;
  t.next = active_;
  active_ = &t;
  return true;
}

bool update_queue::begin(turn& t) noexcept {
  const std::scoped_lock lock(lock_);
  if (meets_active(t.where) || meets_waiting(t.where)) {
    t.next = nullptr;
    *last_ = &t;
    last_ = &t.next;
    return false;
  }
  t.next = active_;
  active_ = &t;
  return true;
}

void update_queue::end(turn& t, base::thread_context& context) noexcept {
  turn* granted = nullptr;
  {
    const std::scoped_lock lock(lock_);
    for (turn** at = &active_; *at; at = &(*at)->next)
      if (*at == &t) {
        *at = t.next;
        break;
      }
    turn **at = &waiting_, **last_granted = &granted;
    for (int passed_over = 0; *at && passed_over < most_passed_over;) {
      turn& w = **at;
      if (meets_active(w.where) || is_behind_another(w)) {
        ++passed_over;
        at = &w.next;
        continue;
      }
      *at = w.next;
      if (!w.next) last_ = at;
      w.next = active_;
      active_ = &w;
      w.granted_next = nullptr;
      *last_granted = &w;
      last_granted = &w.granted_next;
    }
  }
  grant_all(granted, context);
}

void update_queue::dissolve(base::thread_context& context) noexcept {
  turn* granted;
  {
    const std::scoped_lock lock(lock_);
    granted = waiting_;
    for (turn* w = waiting_; w; w = w->next) w->granted_next = w->next;
    waiting_ = nullptr;
    last_ = &waiting_;
  }
  grant_all(granted, context);
}

}  // namespace stretto::data
