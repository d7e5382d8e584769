// memoized_state.hpp - a state machine that memoises its transitions. In a program that repeats itself, states recur:
// then the effect of a step and the next state are looked up instead of computed.
//
// Threads     one owner.
// Cost        a memoised step: one hash look-up. Any other: the step itself, and O(pieces) to store it. If states do
//             not recur, nothing is stored for some time.
// Memory      256 states of 16,384 pieces in all, and the steps between them.
// Invariants  (1) effects and later states are the same as without memoisation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <stretto/box.hpp>

namespace stretto::graph {

/// State must be copyable and have pieces() and key(); equal keys must mean equal behaviour from now on. Effect is the
/// result of a step.
template <class State, class Effect>
class memoized_state {
 public:
  explicit memoized_state(State initial) : state_(std::move(initial)) {}

  /// Identifies a step: in the same state, steps of the same name must have the same effect. A step with `what` 0 is
  /// not memoised.
  struct step_name {
    std::uint64_t what = 0;
    std::uint64_t part = 0;
    box where = {};
    friend bool operator==(const step_name&, const step_name&) = default;
  };

  /// Runs step(State&, Effect&), or returns its memoised effect. Valid until the next call.
  template <class Step>
  const Effect& apply(const step_name& name, Step step) {
    if (const Effect* known = look_up(name)) return *known;
    const state_number before = begin_step(name);
    effect_ = {};
    step(state_, effect_);
    end_step(name, before);
    return effect_;
  }
  /// Forgets all stored steps. To be called before the same names have other effects.
  void forget() {
    materialise();
    current_ = unknown;
    states_.clear(), steps_.clear(), names_.clear();
    pieces_ = 0;
    hits_ = 0;
  }
  const State& current() {
    materialise();
    return state_;
  }

 private:
  using state_number = std::uint32_t;
  static constexpr state_number unknown = 0;
  static constexpr std::size_t most_states = 256, most_pieces = 256, most_pieces_in_all = 16'384, most_names = 4'096;
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
    static std::uint64_t hashed(const step_name& n) noexcept {
      std::uint64_t h = mixed(n.what, n.part);
      for (int a = 0; a < max_axes; ++a)
        h = mixed(mixed(h, static_cast<std::uint64_t>(n.where.min()[a])), static_cast<std::uint64_t>(n.where.max()[a]));
      return h;
    }
    std::size_t operator()(const step_name& n) const noexcept { return hashed(n); }
    std::size_t operator()(const edge& e) const noexcept { return mixed(e.from, hashed(e.by)); }
  };
  struct step_taken {
    state_number to = unknown;
    Effect effect;
  };
  struct past_state {
    std::vector<std::uint64_t> key;
    State is;
  };

  const Effect* look_up(const step_name& name) {
    if (current_ == unknown || name.what == 0) return nullptr;
    const auto known = steps_.find({current_, name});
    if (known == steps_.end()) return nullptr;
    is_stale_ = is_stale_ || known->second.to != current_;
    current_ = known->second.to;
    ++hits_;
    return &known->second.effect;
  }

  void materialise() {
    if (is_stale_) state_ = states_[current_ - 1].is;
    is_stale_ = false;
  }

  state_number begin_step(const step_name& name) {
    materialise();
    const state_number before = std::exchange(current_, unknown);
    stores_step_ = false;
    if (name.what == 0 || (pause_ != 0 && pause_-- != 0)) return before;
    if (names_.size() >= most_names) names_.clear();
    // A name that occurs for the first time may never recur.
    stores_step_ = !names_.insert(name).second && state_.pieces() <= most_pieces;
    return before;
  }

  void end_step(const step_name& name, state_number before) {
    if (!stores_step_ || state_.pieces() > most_pieces) return;
    if (states_.size() == most_states || pieces_ > most_pieces_in_all) {
      // The program does not repeat itself, or has a long period. The fewer steps were found, the longer the pause.
      next_pause_ = hits_ >= 8 * states_.size() ? least_pause : std::min(2 * next_pause_, most_pause);
      forget();
      pause_ = next_pause_;
      return;
    }
    current_ = number_of_current_state();
    if (before != unknown) steps_.insert_or_assign({before, name}, step_taken{current_, effect_});
  }

  state_number number_of_current_state() {
    std::vector<std::uint64_t> key = state_.key();
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (states_[i].key == key) return static_cast<state_number>(i + 1);
    states_.push_back({std::move(key), state_});
    pieces_ += state_.pieces();
    return static_cast<state_number>(states_.size());
  }

  State state_;               // the current state, unless is_stale_
  bool is_stale_ = false;     // then states_[current_ - 1] is the current state
  bool stores_step_ = false;  // the step in progress is to be stored
  state_number current_ = unknown;
  std::vector<past_state> states_;  // by number - 1
  std::size_t pieces_ = 0;          // of all of them
  std::unordered_map<edge, step_taken, hash> steps_;
  std::unordered_set<step_name, hash> names_;  // that have occurred at least once
  Effect effect_;
  unsigned hits_ = 0;                              // since the last forget()
  unsigned pause_ = 0, next_pause_ = least_pause;  // steps until memoising resumes
};

}  // namespace stretto::graph
