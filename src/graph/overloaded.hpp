// overloaded.hpp - one function for each alternative of a variant, for std::visit.
#pragma once

namespace stretto::graph {

/// There is no function for all alternatives: code that forgets a new kind does not compile.
template <class... F>
struct overloaded : F... {
  using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;  // Clang 16 does not deduce it

}  // namespace stretto::graph
