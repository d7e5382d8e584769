#include "sched/core_choice.hpp"

namespace stretto::sched {
namespace {

cpu_set_t set_of_cores(std::span<const int> cores) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores)
    if (core >= 0 && core < CPU_SETSIZE) CPU_SET(core, &set);
  return set;
}

}  // namespace

cpu_set_t choose_cores(unsigned count, const cpu_set_t& allowed, std::span<const int> of_lease,
                       std::span<const int> of_others) noexcept {
  const cpu_set_t first = set_of_cores(of_lease), last = set_of_cores(of_others);
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  unsigned left = count;
  const auto add_those = [&](auto&& is_wanted) {
    for (int core = 0; core < CPU_SETSIZE && left; ++core)
      if (CPU_ISSET(core, &allowed) && !CPU_ISSET(core, &chosen) && is_wanted(core)) {
        CPU_SET(core, &chosen);
        --left;
      }
  };
  add_those([&](int core) { return CPU_ISSET(core, &first); });
  add_those([&](int core) { return !CPU_ISSET(core, &last); });
  add_those([](int) { return true; });
  return chosen;
}

}  // namespace stretto::sched
