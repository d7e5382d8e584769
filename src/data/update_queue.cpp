#include "data/update_queue.hpp"

#include <mutex>

namespace stretto::data {
namespace {

/// Waiting turns block later ones. When a turn ends, at most so many waiting turns are examined, and always the oldest.
constexpr int most_passed_over = 16;

bool any_meets(const update_queue::turn* first, const box& b) noexcept {
  for (; first; first = first->next)
    if (first->where.meets(b)) return true;
  return false;
}

void grant_all(update_queue::turn* first, base::thread_context& context) noexcept {
  while (first) {
    update_queue::turn& t = *first;
    first = t.granted_next;  // the turn may be gone when this returns
    t.granted(t, context);
  }
}

}  // namespace

bool update_queue::is_behind_another(const turn& t) const noexcept {
  for (const turn* w = waiting_; w != &t; w = w->next)
    if (w->where.meets(t.where)) return true;
  return false;
}

void update_queue::activate(turn& t) noexcept {
  t.next = active_;
  active_ = &t;
}

bool update_queue::begin_if_free(turn& t) noexcept {
  if (any_meets(active_, t.where) || any_meets(waiting_, t.where)) return false;
  activate(t);
  return true;
}

bool update_queue::try_begin(turn& t) noexcept {
  const std::scoped_lock lock(lock_);
  return begin_if_free(t);
}

bool update_queue::begin(turn& t) noexcept {
  const std::scoped_lock lock(lock_);
  if (begin_if_free(t)) return true;
  t.next = nullptr;
  *last_ = &t;
  last_ = &t.next;
  return false;
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
      if (any_meets(active_, w.where) || is_behind_another(w)) {
        ++passed_over;
        at = &w.next;
        continue;
      }
      *at = w.next;
      if (!w.next) last_ = at;
      activate(w);
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
