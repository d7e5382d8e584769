#include "uts_blocking.hpp"

#include <shmem.h>

#include <algorithm>
#include <chrono>
#include <new>

namespace uts {
namespace {

constexpr std::size_t capacity = 1 << 16;  // of a pool, in nodes

template <class T>
T* symmetric(std::size_t n) {
  auto* const at = static_cast<T*>(shmem_malloc(n * sizeof(T)));
  if (!at) throw std::bad_alloc();
  return at;
}

long* without_volatile(volatile long* at) { return const_cast<long*>(at); }

census sum_of_all(const census& mine) {
  static long values[3], sums[3], sync[2][SHMEM_REDUCE_SYNC_SIZE], scratch[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 3];
  std::fill_n(&sync[0][0], 2 * SHMEM_REDUCE_SYNC_SIZE, SHMEM_SYNC_VALUE);
  values[0] = static_cast<long>(mine.nodes), values[1] = static_cast<long>(mine.leaves), values[2] = mine.depth;
  shmem_barrier_all();
  shmem_long_sum_to_all(sums, values, 2, 0, 0, shmem_n_pes(), scratch, sync[0]);
  shmem_barrier_all();
  shmem_long_max_to_all(sums + 2, values + 2, 1, 0, 0, shmem_n_pes(), scratch, sync[1]);
  shmem_barrier_all();
  return {static_cast<std::uint64_t>(sums[0]), static_cast<std::uint64_t>(sums[1]), static_cast<int>(sums[2])};
}

}  // namespace

shared_pool::shared_pool()
    : pe_(shmem_my_pe()),
      pes_(shmem_n_pes()),
      nodes_(symmetric<node>(capacity)),
      available_(symmetric<long>(1)),
      locks_(symmetric<long>(pes_)),
      idle_(symmetric<long>(1)) {
  std::fill_n(locks_, pes_, 0);
  reset();
}

void shared_pool::reset() {
  shmem_barrier_all();
  *available_ = 0, *idle_ = 0;
  shmem_barrier_all();
}

void shared_pool::put(const stack& nodes) {
  shmem_set_lock(locks_ + pe_);
  const long kept = *available_;
  if (kept + nodes.size() > capacity) throw std::bad_alloc();
  std::copy(nodes.begin(), nodes.end(), nodes_ + kept);
  shmem_long_atomic_set(without_volatile(available_), kept + static_cast<long>(nodes.size()), pe_);
  shmem_clear_lock(locks_ + pe_);
}

stack shared_pool::take_back() { return *available_ == 0 ? stack() : take(pe_, true); }

stack shared_pool::take(int from, bool all) {
  stack taken;
  shmem_set_lock(locks_ + from);
  const long there = shmem_long_atomic_fetch(without_volatile(available_), from);
  if (const long wanted = all ? there : (there + 1) / 2; wanted > 0) {
    taken.resize(wanted);
    shmem_getmem(taken.data(), nodes_ + (there - wanted), wanted * sizeof(node), from);
    shmem_long_atomic_set(without_volatile(available_), there - wanted, from);
    shmem_quiet();
  }
  shmem_clear_lock(locks_ + from);
  return taken;
}

stack shared_pool::steal() {
  shmem_long_atomic_fetch_add(idle_, 1, 0);
  while (shmem_long_atomic_fetch(idle_, 0) < pes_)
    for (int i = 1; i < pes_; ++i) {
      const int from = (pe_ + i) % pes_;
      if (shmem_long_atomic_fetch(without_volatile(available_), from) == 0) continue;
      shmem_long_atomic_fetch_add(idle_, -1, 0);
      if (stack taken = take(from, false); !taken.empty()) return taken;
      shmem_long_atomic_fetch_add(idle_, 1, 0);
    }
  return {};
}

int run(const char* version, const arguments& given, census (*search)(const tree&, shared_pool&, bool has_root)) {
  const tree t(given.named->parameters);
  const int pe = shmem_my_pe();
  shared_pool pool;
  std::vector<double> seconds;
  census found;
  for (int i = 0; i < given.repetitions; ++i) {
    pool.reset();
    const auto start = std::chrono::steady_clock::now();
    const census mine = search(t, pool, pe == 0);
    shmem_barrier_all();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    found = sum_of_all(mine);
  }
  return report(version, pe, shmem_n_pes(), *given.named, found, seconds);
}

}  // namespace uts
