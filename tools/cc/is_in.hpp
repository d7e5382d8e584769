// is_in.hpp - whether a list of texts has one.
//
// Threads     pure.
#pragma once

#include <algorithm>
#include <string_view>

namespace stretto::cc {

template <class List>
constexpr bool is_in(const List& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

}  // namespace stretto::cc
