// event_work.hpp - the graphs of events that are measured: what is made beforehand, and what is timed.
//
// A work has setup(), untimed, then timed(); both may be called again and again. operations() is by what the time is
// divided.
//
// Threads     one, which belongs to a runtime.
#pragma once

#include <stretto/event.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bench {

using stretto::event;
using stretto::user_event;

/// `n` events, each triggered by the one before; the last one.
inline user_event link_chain(std::int64_t n, user_event head) {
  for (std::int64_t i = 0; i < n; ++i) {
    const auto next = user_event::create();
    next.trigger(head);
    head = next;
  }
  return head;
}

struct chain_trigger {
  std::int64_t length;
  user_event head{}, last{};
  double operations() const { return static_cast<double>(length); }
  void setup() {
    head = user_event::create();
    last = link_chain(length, head);
  }
  void timed() { head.trigger(); }
  bool has_happened() const { return last.has_triggered(); }
};

struct chain_create_and_link {
  std::int64_t length;
  user_event head{};
  double operations() const { return static_cast<double>(length); }
  void setup() {
    finish();
    head = user_event::create();
  }
  void timed() { link_chain(length, head); }
  void finish() {
    if (head != user_event()) head.trigger();
    head = {};
  }
};

struct create_and_trigger {
  std::int64_t count;
  double operations() const { return static_cast<double>(count); }
  void setup() {}
  void timed() {
    for (std::int64_t i = 0; i < count; ++i) user_event::create().trigger();
  }
};

/// The call of merge, and the trigger of each input.
struct merge_and_trigger {
  explicit merge_and_trigger(std::int64_t inputs) : users(inputs), inputs(inputs) {}
  std::vector<user_event> users;
  std::vector<event> inputs;
  event all{};
  double operations() const { return static_cast<double>(inputs.size()); }
  void setup() {
    for (std::size_t i = 0; i < users.size(); ++i) inputs[i] = users[i] = user_event::create();
  }
  void timed() {
    all = stretto::merge(inputs);
    for (const auto u : users) u.trigger();
  }
  bool has_happened() const { return all.has_triggered(); }
};

/// One event, many dependents, each a deferred trigger.
struct fan_out {
  std::int64_t dependents;
  user_event head{}, last{};
  double operations() const { return static_cast<double>(dependents); }
  void setup() {
    head = user_event::create();
    for (std::int64_t i = 0; i < dependents; ++i) {
      last = user_event::create();
      last.trigger(head);
    }
  }
  void timed() { head.trigger(); }
  bool has_happened() const { return last.has_triggered(); }
};

/// Levels of merges, each of `fan` events of the level before: every event has fan-in and fan-out `fan`, and an
/// operation is an edge.
struct fan_in_and_out {
  static constexpr int levels = 16;
  explicit fan_in_and_out(std::int64_t f) : fan(static_cast<int>(f)), width(std::max(32, fan)) {}
  int fan, width;
  user_event start{};
  std::vector<event> level{}, next{};
  double operations() const { return double(width) * fan * levels; }
  void setup() {
    start = user_event::create();
    std::vector<event> inputs(fan);
    level.resize(width), next.resize(width);
    for (auto& e : level) {
      const auto u = user_event::create();
      u.trigger(start);
      e = u;
    }
    for (int l = 0; l < levels; ++l) {
      for (int i = 0; i < width; ++i) {
        for (int k = 0; k < fan; ++k) inputs[k] = level[(i + k) % width];
        const auto u = user_event::create();
        u.trigger(stretto::merge(inputs));
        next[i] = u;
      }
      level.swap(next);
    }
  }
  void timed() { start.trigger(); }
  bool has_happened() const {
    return std::all_of(level.begin(), level.end(), [](event e) { return e.has_triggered(); });
  }
};

}  // namespace bench
