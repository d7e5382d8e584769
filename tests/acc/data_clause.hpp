// data_clause.hpp - a clause of data as translated programs pass it, made of values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>

#include "acc/program_structures.hpp"

namespace stretto::test {

struct data_clause {
  /// `bytes` bytes.
  data_clause(int action, void* base, std::size_t bytes, const char* name = "a")
      : data_clause(action, base, {{0, bytes, 1}}, name) {}
  data_clause(int action, void* base, std::initializer_list<stretto_acc_extent> all, const char* name = "a")
      : data{action, static_cast<int>(all.size()), 0, base, extents.data(), nullptr, name} {
    std::copy(all.begin(), all.end(), extents.begin());
  }
  data_clause(const data_clause&) = delete;

  std::array<stretto_acc_extent, 3> extents = {};
  stretto_acc_data data;
};

/// Of pointers, for attach and detach.
struct pointer_clause {
  pointer_clause(int action, void* pointer, const char* name = "p")
      : data{action, 0, 0, pointer, nullptr, static_cast<void**>(pointer), name} {}

  stretto_acc_data data;
};

}  // namespace stretto::test
