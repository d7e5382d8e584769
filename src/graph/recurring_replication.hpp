// recurring_replication.hpp - a replication that knows its own past: where a program repeats itself, so does who holds what, and what passes
// between nodes is looked up in place of found again.
//
// Threads     one owner.
// Cost        a step that was taken before from the same state: a hash and a copy of what it sends or lacks. Another: as replication, and
//             O(pieces) to remember it, which is given up for a while where states do not come again.
// Memory      32 states of at most 64 pieces each, and the steps between them.
// Invariants  (1) what a step returns, and what later steps do, is as if nothing were remembered.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/replication.hpp"

namespace stretto::graph {

class recurring_replication {
 public:
  recurring_replication(const box& elements, node_number self, node_number nodes) : is_(elements, self, nodes) {}

  /// What is done to it, by name: the same name always does the same. Without a shape nothing is known of it.
  struct step_name {
    std::uint64_t shape = 0;  // of a task
    std::uint64_t part = 0;   // of what the task does
    friend bool operator==(const step_name&, const step_name&) = default;
  };
  struct effect {
    std::vector<sent_part> sent;
    std::vector<box> lacking;
  };

  /// Does step(replication&, effect&), or what it did before. Valid until the next call.
  template <class Step>
  const effect& take(const step_name& name, Step step) {
    if (const effect* known = look_up(name)) return *known;
    const state_number before = begin(name);
    effect_.sent.clear(), effect_.lacking.clear();
    step(is_, effect_);
    end(name, before);
    return effect_;
  }
  /// The same names do other things from now on.
  void forget();

 private:
  using state_number = std::uint32_t;
  static constexpr state_number unknown = 0;
  static constexpr std::size_t most_states = 32, most_pieces = 64, most_names = 1'024;
  static constexpr unsigned least_pause = 256, most_pause = 65'536;

  struct edge {
    state_number from = unknown;
    step_name by;
    friend bool operator==(const edge&, const edge&) = default;
  };
  struct hash {
    static std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept {
      a = (a ^ b) * 0x9e3779b97f4a7c15u;
      return a ^ a >> 29;
    }
    std::size_t operator()(const step_name& n) const noexcept { return mixed(n.shape, n.part); }
    std::size_t operator()(const edge& e) const noexcept { return mixed(mixed(e.from, e.by.shape), e.by.part); }
  };
  struct step_taken {
    state_number to = unknown;
    effect did;
  };
  struct past_state {
    std::vector<std::uint64_t> words;
    replication is;
  };

  const effect* look_up(const step_name& name);
  state_number begin(const step_name& name);
  void end(const step_name& name, state_number before);
  state_number number_of_present();

  replication is_;          // as it is now, unless is_behind_
  bool is_behind_ = false;  // then states_[now_ - 1] is
  bool remembers_ = false;  // the step that is taken
  state_number now_ = unknown;
  std::vector<past_state> states_;  // by their numbers less 1
  std::unordered_map<edge, step_taken, hash> steps_;
  std::unordered_set<step_name, hash> names_;  // that have come at least once
  effect effect_;
  unsigned found_ = 0;  // since it began to remember
  unsigned pause_ = 0, next_pause_ = least_pause;  // steps that are not remembered
};

}  // namespace stretto::graph
