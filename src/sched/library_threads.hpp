// library_threads.hpp - the thread counts of libraries that the program has: OpenMP, OpenBLAS, MKL.
//
// Libraries are found by the names of their functions in the program and what it has loaded for all (RTLD_GLOBAL).
// Nothing is linked or loaded for that.
//
// Threads     any. OpenMP and MKL keep a count for each thread, OpenBLAS one for the process.
// Cost        a lookup of two names for each library.
// Source      the functions: OpenMP 5.2, section 18.2; OpenBLAS, openblas_config.h; oneMKL, "Threading Control".
#pragma once

#include <sched.h>

#include <vector>

namespace stretto::sched {

/// The count of each library when it was last set.
class library_threads {
 public:
  /// Sets the count of all libraries that the program has.
  void set(int count);
  /// Sets the counts that they had before.
  void restore() noexcept;

 private:
  struct before {
    void (*set)(int);
    int count;
  };
  std::vector<before> before_;
};

/// Lets the threads that run OpenMP's parallel regions of the calling thread run on these cores only. A team that has
/// run a region keeps its threads, and these the cores on which they may run.
void bind_team(int count, const cpu_set_t& cores) noexcept;

}  // namespace stretto::sched
