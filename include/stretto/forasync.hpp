// forasync.hpp - a loop over one to three axes as tasks.
//
//     void saxpy(std::vector<float>& y, float a, const std::vector<float>& x) {
//       const auto n = std::ssize(y);
//       forasync(box(0, n), [&](coordinate i) { y[i] += a * x[i]; }).get();
//     }
//     void clear(float* v, coordinate n) {
//       forasync(box({0, 0}, {n, n}), extent(16, 256), [=](coordinate i, coordinate j) { v[i * n + j] = 0; }).get();
//     }
//     void clear_by_chunks(float* v, coordinate n) {
//       forasync(box(0, n), [=](const box& chunk) { std::fill(v + chunk.min()[0], v + chunk.max()[0], 0.0f); }).get();
//     }
//
// Threads     any thread of a runtime; the body runs on several workers at once.
// Cost        one task per chunk. Chunks are made by halving, so that spawning is spread over the workers.
// Invariants  every index is visited exactly once. Chunks are cut at multiples of the grain from the domain's start.
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

/// As f.get(), but also returns or throws only after `f` has ended: for tasks that use the caller's stack.
inline void join_and_get(const future<void>& f, const std::source_location& where) {
  join(f, where);
  f.get(where);
}

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
    // The other half uses this loop: it ends before an exception leaves.
    try {
      run(h.first);
    } catch (...) {
      join(other, where);  // it may have failed too, and the first failure stands for all
      throw;
    }
    join_and_get(other, where);
  }
};

}  // namespace detail

/// Calls `body` for every point of `domain`, on several workers at once, and returns at once.
///
///   grain    smallest length of a chunk along each axis, in elements; >= 1. Without it: about eight chunks per worker
///   body     f(i), f(i, j) or f(i, j, k), called for each point; or f(box), called once per chunk
///   returns  a future that is ready when all points have been visited. It is poisoned with the first exception of the
///            body; the other chunks are visited nevertheless
///   throws   B20 on a thread of no runtime; S09 if a grain is below 1
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
