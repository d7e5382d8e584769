// overloaded.hpp - combines one function for each alternative of a variant into a visitor for std::visit.
#pragma once

namespace stretto::graph {

/// Has no catch-all: code that omits an alternative does not compile.
template <class... F>
struct overloaded : F... {
  using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;  // Clang 16 does not deduce it

}  // namespace stretto::graph
