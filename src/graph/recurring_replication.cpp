#include "graph/recurring_replication.hpp"

#include <utility>

namespace stretto::graph {

const recurring_replication::effect* recurring_replication::look_up(const step_name& name) {
  if (now_ == unknown || name.shape == 0) return nullptr;
  const auto known = steps_.find({now_, name});
  if (known == steps_.end()) return nullptr;
  now_ = known->second.to;
  is_behind_ = true;
  ++found_;
  return &known->second.did;
}

recurring_replication::state_number recurring_replication::begin(const step_name& name) {
  const state_number before = now_;
  if (is_behind_) is_ = states_[now_ - 1].is;
  is_behind_ = false;
  now_ = unknown;
  remembers_ = false;
  if (name.shape == 0 || (pause_ != 0 && pause_-- != 0)) return before;
  if (names_.size() >= most_names) names_.clear();
  // What comes for the first time may never come again.
  remembers_ = !names_.insert(name).second && is_.pieces() <= most_pieces;
  return before;
}

void recurring_replication::end(const step_name& name, state_number before) {
  if (!remembers_ || is_.pieces() > most_pieces) return;
  if (states_.size() == most_states) {
    // Not a program that repeats itself, or one of long periods: the less it was worth, the longer until it is tried again.
    next_pause_ = found_ >= 8 * most_states ? least_pause : std::min(2 * next_pause_, most_pause);
    forget();
    pause_ = next_pause_;
    return;
  }
  now_ = number_of_present();
  if (before != unknown) steps_.insert_or_assign({before, name}, step_taken{now_, effect_});
}

recurring_replication::state_number recurring_replication::number_of_present() {
  std::vector<std::uint64_t> words = is_.words();
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (states_[i].words == words) return static_cast<state_number>(i + 1);
  states_.push_back({std::move(words), is_});
  return static_cast<state_number>(states_.size());
}

void recurring_replication::forget() {
  if (is_behind_) is_ = states_[now_ - 1].is;
  is_behind_ = false;
  now_ = unknown;
  states_.clear(), steps_.clear(), names_.clear();
  found_ = 0;
}

}  // namespace stretto::graph
