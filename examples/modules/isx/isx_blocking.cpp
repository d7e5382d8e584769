#include "isx_blocking.hpp"

#include <shmem.h>

#include <algorithm>
#include <chrono>

namespace isx {
namespace {

totals sum_of_all(const totals& mine) {
  static long values[3], sums[3], sync[SHMEM_REDUCE_SYNC_SIZE], scratch[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 3];
  std::fill(std::begin(sync), std::end(sync), SHMEM_SYNC_VALUE);
  values[0] = mine.keys, values[1] = mine.sum, values[2] = mine.faults;
  shmem_barrier_all();
  shmem_long_sum_to_all(sums, values, 3, 0, 0, shmem_n_pes(), scratch, sync);
  return {sums[0], sums[1], sums[2]};
}

}  // namespace

void exchange(const problem& p, const arrays& mine, const std::vector<std::size_t>& first,
              const std::vector<std::size_t>& sizes, const symmetric_memory& at) {
  for (int i = 0; i < p.pes; ++i) {
    const int to = (p.pe + i) % p.pes;
    const long place = shmem_long_atomic_fetch_add(at.end, static_cast<long>(sizes[to]), to);
    check_capacity(p, place + sizes[to]);
    shmem_putmem(at.came + place, mine.buckets.data() + first[to], sizes[to] * sizeof(key), to);
  }
  shmem_barrier_all();
}

int run(const char* version, const arguments& given, void (*sort)(const problem&, arrays&, const symmetric_memory&)) {
  const problem p = given.of(shmem_my_pe(), shmem_n_pes());
  const symmetric_memory at{static_cast<key*>(shmem_malloc(p.capacity() * sizeof(key))),
                            static_cast<long*>(shmem_malloc(sizeof(long)))};
  if (!at.came || !at.end) throw std::bad_alloc();
  arrays mine{std::vector<key>(p.keys_per_pe), std::vector<key>(p.keys_per_pe), std::vector<std::uint32_t>(p.range())};
  draw(p, 0, mine.drawn);

  std::vector<double> seconds;
  for (int i = 0; i < given.repetitions; ++i) {
    *at.end = 0;
    std::fill(mine.counters.begin(), mine.counters.end(), 0);
    shmem_barrier_all();
    const auto start = std::chrono::steady_clock::now();
    sort(p, mine, at);
    shmem_barrier_all();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return report(version, p, sum_of_all(verify(p, mine.drawn, at.keys(), mine.counters)), seconds);
}

}  // namespace isx
