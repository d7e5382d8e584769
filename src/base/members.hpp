// members.hpp - the data members of an aggregate, as a pack.
//
//     struct point { int x, y; };
//     base::with_members(point{1, 2}, [](const auto&... member) { (print(member), ...); });
//
// Aggregates of at most most_members members, each of which `{}` can initialise; no base classes, no C arrays.
//
// Threads     any.
// Cost        none at run time: structured bindings.
// Source      counting by brace initialisation: Polukhin, "Boost.PFR", 2016.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace stretto::base {

inline constexpr std::size_t most_members = 16;

// clang-format off
/// Whether `{}` can initialise each of the first n members of a T.
template <class T, std::size_t n>
consteval bool takes_initialisers() {
  if constexpr (n == 1) return requires { T{{}}; };
  else if constexpr (n == 2) return requires { T{{}, {}}; };
  else if constexpr (n == 3) return requires { T{{}, {}, {}}; };
  else if constexpr (n == 4) return requires { T{{}, {}, {}, {}}; };
  else if constexpr (n == 5) return requires { T{{}, {}, {}, {}, {}}; };
  else if constexpr (n == 6) return requires { T{{}, {}, {}, {}, {}, {}}; };
  else if constexpr (n == 7) return requires { T{{}, {}, {}, {}, {}, {}, {}}; };
  else if constexpr (n == 8) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}}; };
  else if constexpr (n == 9) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  else if constexpr (n == 10) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  else if constexpr (n == 11) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  else if constexpr (n == 12) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  else if constexpr (n == 13) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  else if constexpr (n == 14) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  else if constexpr (n == 15) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  else if constexpr (n == 16) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  else return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
}

template <class T, std::size_t n = most_members + 1>
consteval std::size_t count_members() {
  if constexpr (n == 0) return 0;
  else if constexpr (takes_initialisers<T, n>()) return n;
  else return count_members<T, n - 1>();
}

/// The value of f for all members of `of`, in the order of their declaration.
template <class T, class F>
[[gnu::always_inline]] constexpr decltype(auto) with_members(T&& of, F&& f) {
  using type = std::remove_cvref_t<T>;
  constexpr std::size_t n = count_members<type>();
  static_assert(std::is_aggregate_v<type> && n <= most_members, "an aggregate of at most 16 members");
  if constexpr (n == 0) return f();
  else if constexpr (n == 1) { auto& [a] = of; return f(a); }
  else if constexpr (n == 2) { auto& [a, b] = of; return f(a, b); }
  else if constexpr (n == 3) { auto& [a, b, c] = of; return f(a, b, c); }
  else if constexpr (n == 4) { auto& [a, b, c, d] = of; return f(a, b, c, d); }
  else if constexpr (n == 5) { auto& [a, b, c, d, e] = of; return f(a, b, c, d, e); }
  else if constexpr (n == 6) { auto& [a, b, c, d, e, g] = of; return f(a, b, c, d, e, g); }
  else if constexpr (n == 7) { auto& [a, b, c, d, e, g, h] = of; return f(a, b, c, d, e, g, h); }
  else if constexpr (n == 8) { auto& [a, b, c, d, e, g, h, i] = of; return f(a, b, c, d, e, g, h, i); }
  else if constexpr (n == 9) { auto& [a, b, c, d, e, g, h, i, j] = of; return f(a, b, c, d, e, g, h, i, j); }
  else if constexpr (n == 10) { auto& [a, b, c, d, e, g, h, i, j, k] = of; return f(a, b, c, d, e, g, h, i, j, k); }
  else if constexpr (n == 11) {
    auto& [a, b, c, d, e, g, h, i, j, k, l] = of;
    return f(a, b, c, d, e, g, h, i, j, k, l);
  } else if constexpr (n == 12) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m] = of;
    return f(a, b, c, d, e, g, h, i, j, k, l, m);
  } else if constexpr (n == 13) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, o] = of;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, o);
  } else if constexpr (n == 14) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, o, p] = of;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, o, p);
  } else if constexpr (n == 15) {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, o, p, q] = of;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, o, p, q);
  } else {
    auto& [a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r] = of;
    return f(a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r);
  }
}
// clang-format on

}  // namespace stretto::base
