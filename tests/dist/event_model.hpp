// event_model.hpp - a serial model of programs of events, without a network.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stretto::testing {

struct event_model {
  enum class kind { user, follow, merge, survive };
  struct one {
    std::size_t owner;
    kind what = kind::user;
    std::vector<std::size_t> inputs{};
    bool ended = false;
    std::string cause{};  // "" if triggered
    std::size_t poisoned_on = 0;
  };
  std::vector<one> all;

  /// A merge ends when all inputs have ended, with the first failure in input order.
  void settle() {
    for (bool changed = true; changed;) {
      changed = false;
      for (one& n : all) {
        if (n.ended || n.what == kind::user) continue;
        const one* first = nullptr;
        bool is_over = true;
        for (const auto i : n.inputs) {
          is_over = is_over && all[i].ended;
          if (!first && !all[i].cause.empty()) first = &all[i];
        }
        if (!is_over) continue;
        n.ended = changed = true;
        if (first && n.what != kind::survive) n.cause = first->cause, n.poisoned_on = first->poisoned_on;
      }
    }
  }
  /// True if `from` ends only after `target`.
  bool waits_for(std::size_t from, std::size_t target) const {
    std::vector<std::size_t> look{from};
    std::vector<bool> seen(all.size());
    while (!look.empty()) {
      const auto i = look.back();
      look.pop_back();
      if (i == target) return true;
      if (seen[i]) continue;
      seen[i] = true;
      look.insert(look.end(), all[i].inputs.begin(), all[i].inputs.end());
    }
    return false;
  }
};

}  // namespace stretto::testing
