// numbered_grid.hpp - two-dimensional arrays whose elements encode their position, in any memory: written and checked.
#pragma once

#include <stretto/copy.hpp>
#include <stretto/instance.hpp>
#include <stretto/platform.hpp>
#include <stretto/task.hpp>

namespace stretto::test {

template <class T>
T value_at(coordinate i, coordinate j) {
  return T(1000 * i + j);
}

/// Writes value_at to all elements of `g`; `all` is its box.
template <class T>
void write_grid(const instance<T, 2>& g, const box& all) {
  const auto here = instance<T, 2>::create(at(this_machine().memories().front()), all).made;
  const auto v = here.view();
  for (coordinate i = v.min(0); i < v.max(0); ++i)
    for (coordinate j = v.min(1); j < v.max(1); ++j) v(i, j) = value_at<T>(i, j);
  wait(copy(here, g));
  here.destroy();
}

/// The number of elements of `part` that differ from the shifted value_at.
template <class T>
int wrong_in(const instance<T, 2>& g, const box& part, const point& shift) {
  const auto here = instance<T, 2>::create(at(this_machine().memories().front()), part).made;
  wait(copy(g, here, part));
  const auto v = here.view();
  int wrong = 0;
  for (coordinate i = part.min()[0]; i < part.max()[0]; ++i)
    for (coordinate j = part.min()[1]; j < part.max()[1]; ++j)
      wrong += v(i, j) != value_at<T>(i + shift[0], j + shift[1]);
  here.destroy();
  return wrong;
}

}  // namespace stretto::test
