// simulated_memories.hpp - memories that hold real values, and operations that run in any order their waits allow.
//
// Executes the plans of a replica_set: allocations, copies, kernels and frees are submitted with the tokens that they
// wait for. They run later, picked at random among those that may run. A forgotten wait thus shows as a wrong value.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "data/replica_set.hpp"

namespace stretto::test {

using namespace stretto::data;

inline constexpr std::int64_t garbage = -1;

template <class F>
void each_point(const box& b, F f) {
  for (auto x = b.min()[0]; x < b.max()[0]; ++x)
    for (auto y = b.min()[1]; y < b.max()[1]; ++y)
      for (auto z = b.min()[2]; z < b.max()[2]; ++z) f(point(x, y, z));
}

/// A replica's elements.
struct stored {
  memory_number memory;
  box where;
  std::vector<std::int64_t> values;
  bool usable = false;

  std::int64_t& at(const point& p) {
    const point d = p - where.min();
    return values[static_cast<std::size_t>((d[0] * where.length(1) + d[1]) * where.length(2) + d[2])];
  }
};

class simulated_memories {
 public:
  explicit simulated_memories(std::mt19937& random) : random_(random) {}

  bool has_ended(token t) const { return t == 0 || operations_[t - 1].state != waiting; }
  bool has_failed(token t) const { return t != 0 && operations_[t - 1].state == failed; }

  /// `uses`: the replicas it touches. It fails if any of them is lost, and with any operation that it waits for. Frees,
  /// which use nothing, always run.
  token submit(std::vector<token> waits, std::vector<stored*> uses, std::function<void()> run) {
    // A known failure does not fail later operations.
    if (std::any_of(waits.begin(), waits.end(), [&](token t) { return has_failed(t); }))
      FAIL_CHECK("waits for a failure");
    operations_.push_back({std::move(waits), std::move(uses), std::move(run)});
    operation& o = operations_.back();
    o.doomed = !o.uses.empty() && waits_for_doomed(o);
    return operations_.size();
  }

  stored* make(memory_number memory, const box& where) {
    all_.push_back(std::make_unique<stored>(stored{memory, where, {}, false}));
    all_.back()->values.assign(where.volume(), garbage);
    return all_.back().get();
  }

  /// Runs one operation that may run, if there is one; calls on_failure(token) if it fails.
  template <class F>
  bool step(F on_failure) {
    while (first_ < operations_.size() && operations_[first_].state != waiting) ++first_;
    const std::size_t count = operations_.size() - first_;
    if (count == 0) return false;
    // Starts at a random position; the oldest operation that waits may always run.
    std::size_t next = first_ + random_() % count;
    while (!may_run(operations_[next])) next = next + 1 < operations_.size() ? next + 1 : first_;
    if (operations_[next].doomed) {
      operations_[next].state = failed;
      on_failure(next + 1);
    } else {
      operations_[next].run();
      operations_[next].state = done;
    }
    return true;
  }

  /// The memory loses its data. Operations on it, and those that wait for them, fail when they run.
  void lose(memory_number memory) {
    for (operation& o : operations_) {
      if (o.state != waiting || o.uses.empty() || o.doomed) continue;
      o.doomed = std::any_of(o.uses.begin(), o.uses.end(), [&](stored* s) { return s->memory == memory; }) ||
                 waits_for_doomed(o);
    }
    for (auto& s : all_)
      if (s->memory == memory) s->usable = false;
  }

 private:
  enum state { waiting, done, failed };
  struct operation {
    std::vector<token> waits;
    std::vector<stored*> uses;
    std::function<void()> run;
    enum state state = waiting;
    bool doomed = false;  // it will fail
  };
  bool may_run(const operation& o) const {
    return o.state == waiting && std::all_of(o.waits.begin(), o.waits.end(), [&](token t) { return has_ended(t); });
  }
  bool waits_for_doomed(const operation& o) const {
    return std::any_of(o.waits.begin(), o.waits.end(), [&](token t) { return operations_[t - 1].doomed; });
  }

  std::mt19937& random_;
  std::vector<operation> operations_;
  std::vector<std::unique_ptr<stored>> all_;
  std::size_t first_ = 0;
};

}  // namespace stretto::test
