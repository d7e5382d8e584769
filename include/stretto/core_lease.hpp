// core_lease.hpp - lends the cores of several workers to a task whose library has threads of its own.
//
//     double solve(std::vector<double>& a);  // calls a library with threads: OpenMP, OpenBLAS, MKL, FFTW
//
//     double solve_on_two_cores(std::vector<double>& a, event filled) {
//       const future<double> residual = lease_cores(after(filled), name("solve"), 2, [&a] { return solve(a); });
//       return residual.get();
//     }
//
// A library's threads and the workers would compete for the same cores. A lease of n cores sets n workers aside: the
// first n that end or suspend their present task. One of them runs the body, and the others sleep until it has ended.
// The body may run on the cores of these workers only, and so may the threads that it starts. The thread counts of
// OpenMP, OpenBLAS and MKL are n during the body, if the program has them, and afterwards what they were.
//
// One lease of a runtime is in force at a time. Others wait for it, in the order in which their preconditions ended.
//
// The body may wait. Meanwhile its workers run other tasks, with the usual thread counts. When the body goes on, they
// stop again, each at the end of its present task.
//
// Threads     any thread of a runtime. The body runs on one worker, also after a wait.
// Cost        the longest remaining time of n tasks, then about ten system calls, and a team of OpenMP's threads when
//             a worker runs such a body for the first time.
// Invariants  (1) workers that are set aside begin nothing. (2) they return however the body ends.
#pragma once

#include <stretto/detail/spawn.hpp>
#include <stretto/task.hpp>

#include <memory>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {

/// Throws S24 and S25.
void check_lease(std::uint32_t cores, const std::source_location& where);

/// A lease of the calling task, which suspends until the workers are set aside.
class held_cores {
 public:
  held_cores(std::uint32_t cores, const std::source_location& where);
  held_cores(const held_cores&) = delete;
  held_cores& operator=(const held_cores&) = delete;
  ~held_cores();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The tags of a lease: the runtime chooses the worker.
struct lease_request {
  task_request task;

  void apply(std::span<const dependency> d) noexcept { task.apply(d); }
  void apply(after_range r) noexcept { task.apply(r); }
  void apply(task_priority p) noexcept { task.apply(p); }
  void apply(task_name n) noexcept { task.apply(n); }
  void apply(profile_into p) noexcept { task.apply(p); }
};

template <class Body>
struct leased_body {
  Body body;
  std::uint32_t cores;
  std::source_location where;
  decltype(auto) operator()() {
    const held_cores held(cores, where);
    return body();
  }
};

template <class F>
auto spawn_leased(const lease_request& request, std::uint32_t cores, F&& body, const std::source_location& where) {
  check_lease(cores, where);
  return spawn_as(request.task, leased_body<std::decay_t<F>>{std::forward<F>(body), cores, where}, where);
}

}  // namespace detail

/// Runs `body` as a task that has the cores of `cores` workers to itself, and returns the future of its result.
///
///   tags     any of after(...), priority(n), name("text"), profile(into), in any order, before the number
///   cores    1 to the number of workers; the worker that runs the body counts
///   throws   B20 on a thread of no runtime; S24 for no core, or more cores than workers; S25 inside the body of a
///            lease; S04 for a priority outside of -128 to 127
///
/// With one core the library runs on the body's thread alone. A body that blocks its thread for a task that has not
/// ended may wait for ever; stretto::wait and get are safe.
template <detail::task_body F>
auto lease_cores(std::uint32_t cores, F&& body, std::source_location where = std::source_location::current()) {
  return detail::spawn_leased({}, cores, std::forward<F>(body), where);
}
template <class... A>
  requires(detail::task_body<A> || ...)
auto lease_cores(detail::first_tag<detail::lease_request, A...> first, A&&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<detail::task_body F>(std::uint32_t cores, F&& body, std::same_as<std::source_location> auto... called) {
        return detail::spawn_leased(first.request, cores, std::forward<F>(body),
                                    detail::called_at(first.where, called...));
      },
      std::forward<A>(rest)...);
}

}  // namespace stretto

STRETTO_API_END
