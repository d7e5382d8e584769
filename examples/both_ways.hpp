// both_ways.hpp - a program on several nodes that says what its operations follow in one of two ways: as their preconditions, or by a wait before
// each, as programs do that know no preconditions. What examples 28 to 30 share.
#pragma once

#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <stretto/stretto.hpp>

struct order {
  bool waits;
  std::vector<stretto::event> all = {};

  /// Holds until the next call.
  stretto::after_range after_all(std::vector<stretto::event> these) {
    all = std::move(these);
    if (waits) {
      for (const stretto::event e : all) wait(e);
      all.clear();
    }
    return stretto::after(all);
  }
};

/// `program(waits)` returns what it has computed.
template <class F, class T>
void print_both_ways(const std::string& what, F&& program, const T& expected) {
  std::printf("%s: %s a serial run, %s where each operation is waited for\n", what.c_str(), program(false) == expected ? "as" : "NOT as",
              program(true) == expected ? "also" : "but NOT");
}

/// In the processes that a launcher has started; else in a simulated job of three nodes within this one.
inline int run_on_nodes(void (*program)()) {
  if (stretto::runtime rt; rt.nodes() > 1) {
    rt.run(program);
    return 0;
  }
  stretto::simulated_job job({.nodes = 3});
  std::vector<std::thread> nodes;
  for (std::uint32_t n = 0; n < job.nodes(); ++n)
    nodes.emplace_back([&job, n, program] {
      stretto::runtime rt({.workers = 1, .job = job.seat(n)});
      rt.run(program);
    });
  for (auto& t : nodes) t.join();
  return 0;
}
