// both_ways.hpp - a program on several nodes that orders its operations in one of two ways: by preconditions, or by a
// wait before each operation, as programs without preconditions do. Examples 34 to 36 share it.
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
