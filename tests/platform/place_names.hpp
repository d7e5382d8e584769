// place_names.hpp - places by their names, to compare them with.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <stretto/platform.hpp>

namespace stretto::test {

using list = std::vector<std::string>;

inline list names(const platform& p, std::span<const place> of) {
  list out;
  for (const place at : of) out.push_back(p.name(at));
  return out;
}

}  // namespace stretto::test
