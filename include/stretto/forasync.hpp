// forasync.hpp - a loop over one to three axes as tasks.
//
//     forasync(box(0, n), [&](coordinate i) { y[i] += a * x[i]; }).get();
//     forasync(box({0, 0}, {n, n}), extent(16, 256), [&](coordinate i, coordinate j) { v[i * n + j] = 0; }).get();
//     forasync(box(0, n), [&](const box& part) { sort(part.min()[0], part.max()[0]); }).get();
//
// Threads     any thread of a runtime; the body runs on several workers at once.
// Cost        one task per chunk; chunks are made by halving, so spawning is spread over the workers too.
// Invariants  every index is visited exactly once; chunks are cut at multiples of the grain from the domain's start.
#pragma once

#include <stretto/box.hpp>
#include <stretto/task.hpp>

#include <atomic>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {

/// `whole` cut in two near-equal parts at a multiple of the grain along its longest axis (in grains), or the
/// second part empty if no axis is longer than its grain.
struct halves {
  box first, second;
};
halves halve(const box& whole, const point& origin, const extent& grain) noexcept;
/// Elements per chunk so that each worker gets about eight: for loops whose grain is not given.
extent default_grain(const box& domain);
[[noreturn]] void refuse_grain(const extent& grain, const std::source_location& where);

template <class Body>
inline constexpr int loop_axes = std::invocable<Body&, coordinate, coordinate, coordinate> ? 3
                                 : std::invocable<Body&, coordinate, coordinate>           ? 2
                                 : std::invocable<Body&, coordinate>                       ? 1
                                                                                           : 0;

/// The one copy of the body, and the first exception of it; shared by all chunks.
template <class Body>
struct loop {
  Body body;
  extent grain;
  point origin;
  std::source_location where;

  void visit(const box& chunk) {
    if constexpr (loop_axes<Body> == 0) {
      body(chunk);
    } else {
      for (coordinate i = chunk.min()[0]; i < chunk.max()[0]; ++i)
        if constexpr (loop_axes<Body> == 1) body(i);
        else
          for (coordinate j = chunk.min()[1]; j < chunk.max()[1]; ++j)
            if constexpr (loop_axes<Body> == 2) body(i, j);
            else
              for (coordinate k = chunk.min()[2]; k < chunk.max()[2]; ++k) body(i, j, k);
    }
  }

  /// Gives one half away, keeps on with the other; the task ends when both have.
  void run(const box& part) {
    const halves h = halve(part, origin, grain);
    if (h.second.is_empty()) return visit(part);
    auto other = spawn([this, second = h.second] { run(second); }, where);
    // The other half uses this loop: it ends before an exception leaves. Looked at even if it has ended: it may have
    // failed too, and the first failure stands for all.
    struct join {
      future<void>& half;
      bool is_left = true;
      ~join() {
        if (is_left) try {
            wait(half);
          } catch (...) {
          }
      }
    } joined{other};
    run(h.first);
    joined.is_left = false;
    other.get(where);
  }
};

}  // namespace detail

/// Visits every point of `domain`: body(i), body(i, j) or body(i, j, k), as many axes as it takes, or body(box) for
/// whole chunks. Returns at once; the future is ready when all is done.
///
///   grain    elements per axis that one chunk is not cut below; >= 1. Left out: about eight chunks per worker
///   returns  a future, poisoned with the first exception of the body, the other chunks having been visited
///   throws   S09 if a grain is below 1
///
///     forasync(box(0, n), extent(1024), [&](coordinate i) { y[i] += a * x[i]; }).get();
template <class F>
future<void> forasync(const box& domain, const extent& grain, F&& body,
                      std::source_location where = std::source_location::current()) {
  for (int axis = 0; axis < max_axes; ++axis)
    if (grain[axis] < 1) detail::refuse_grain(grain, where);
  return detail::spawn(
      [loop = detail::loop<std::decay_t<F>>{std::forward<F>(body), grain, domain.min(), where}, domain]() mutable {
        if (!domain.is_empty()) loop.run(domain);
      },
      where);
}
template <class F>
  requires(!std::convertible_to<F, extent>)
future<void> forasync(const box& domain, F&& body, std::source_location where = std::source_location::current()) {
  return forasync(domain, detail::default_grain(domain), std::forward<F>(body), where);
}

}  // namespace stretto

STRETTO_API_END
