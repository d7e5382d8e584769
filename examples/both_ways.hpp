// both_ways.hpp - a program on several nodes that says what its operations follow in one of two ways: as their
// preconditions, or by a wait before each, as programs do that know no preconditions. What examples 34 to 36 share.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <stretto/stretto.hpp>

#include "on_nodes.hpp"

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
  std::printf("%s: %s a serial run, %s where each operation is waited for\n", what.c_str(),
              program(false) == expected ? "as" : "NOT as", program(true) == expected ? "also" : "but NOT");
}
