#include "sched/library_threads.hpp"

#include <dlfcn.h>

#include <iterator>
#include <memory>
#include <new>

namespace stretto::sched {
namespace {

struct thread_library {
  const char* set;
  const char* get;
};
/// OpenBLAS last: built with OpenMP, it sets OpenMP's count as well.
constexpr thread_library thread_libraries[] = {{"omp_set_num_threads", "omp_get_max_threads"},
                                               {"MKL_Set_Num_Threads_Local", "MKL_Get_Max_Threads"},
                                               {"openblas_set_num_threads", "openblas_get_num_threads"}};

template <class F>
F* symbol_of_program(const char* name) noexcept {
  return reinterpret_cast<F*>(::dlsym(RTLD_DEFAULT, name));
}

void bind_thread_to(void* cores) { ::sched_setaffinity(0, sizeof(cpu_set_t), static_cast<const cpu_set_t*>(cores)); }

/// The cores of the calling thread's team; null before its first region here. Behind a pointer, since plugins with a
/// copy of the library have little room for variables of threads. Never inlined: the address belongs to the thread.
[[gnu::noinline]] std::unique_ptr<cpu_set_t>& cores_of_team() noexcept {
  static thread_local std::unique_ptr<cpu_set_t> cores;
  return cores;
}

}  // namespace

void library_threads::set(int count) {
  before_.clear();
  before_.reserve(std::size(thread_libraries));
  for (const thread_library& one : thread_libraries) {
    auto* const set = symbol_of_program<void(int)>(one.set);
    auto* const get = symbol_of_program<int()>(one.get);
    if (set && get) before_.push_back({set, get()});
  }
  for (const before& one : before_) one.set(count);
}

void library_threads::restore() noexcept {
  for (const before& one : before_) one.set(one.count);
  before_.clear();
}

void bind_team(int count, const cpu_set_t& cores) noexcept {
  std::unique_ptr<cpu_set_t>& bound = cores_of_team();
  using parallel = void(void (*)(void*), void*, unsigned, unsigned);
  auto* const run_region = symbol_of_program<parallel>("GOMP_parallel");  // of libomp, too
  if (!run_region || (bound && CPU_EQUAL(bound.get(), &cores))) return;
  bound.reset(new (std::nothrow) cpu_set_t(cores));
  cpu_set_t of_region = cores;
  run_region(bind_thread_to, &of_region, static_cast<unsigned>(count), 0);
}

}  // namespace stretto::sched
