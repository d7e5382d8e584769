// append_fold.hpp - a fold that keeps all values, in their order.
#pragma once

#include <utility>
#include <vector>

namespace stretto::test {

template <class T>
std::vector<T> appended(std::vector<T> all, T one) {
  all.push_back(std::move(one));
  return all;
}

}  // namespace stretto::test
