// ISx with OpenSHMEM and OpenMP: the threads of a PE put keys into buckets and count them; one of them communicates.
//
//     OMP_NUM_THREADS=2 oshrun -n 2 isx_hybrid 20 28
#include <omp.h>
#include <utility>

#include "isx_blocking.hpp"
#include "modules/started_openshmem.hpp"

namespace {

std::span<const isx::key> part_of(std::span<const isx::key> all, int thread, int threads) {
  const std::size_t first = all.size() * thread / threads, last = all.size() * (thread + 1) / threads;
  return all.subspan(first, last - first);
}

// next[t][b] holds the number of keys of thread t in bucket b, and then where it puts them. Where the buckets begin.
std::vector<std::size_t> divide(std::vector<std::vector<std::size_t>>& next, std::vector<std::size_t>& sizes) {
  for (const auto& of_thread : next)
    for (std::size_t b = 0; b < sizes.size(); ++b) sizes[b] += of_thread[b];
  const std::vector<std::size_t> first = isx::begins(sizes);
  auto place = first;
  for (auto& of_thread : next)
    for (std::size_t b = 0; b < sizes.size(); ++b) place[b] += std::exchange(of_thread[b], place[b]);
  return first;
}

void sort(const isx::problem& p, isx::arrays& mine, const isx::symmetric_memory& at) {
  const int threads = omp_get_max_threads();
  std::vector<std::vector<std::size_t>> next(threads, std::vector<std::size_t>(p.pes));
  std::vector<std::size_t> sizes(p.pes), first;
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    const auto part = part_of(mine.drawn, me, threads);
    isx::count_buckets(p, part, next[me]);
#pragma omp barrier
#pragma omp single
    first = divide(next, sizes);
    isx::fill_buckets(p, part, next[me], mine.buckets);
  }
  isx::exchange(p, mine, first, sizes, at);
  const auto how = threads > 1 ? isx::counting::shared : isx::counting::alone;
#pragma omp parallel num_threads(threads)
  isx::count_keys(p, part_of(at.keys(), omp_get_thread_num(), threads), mine.counters, how);
}

}  // namespace

int main(int argc, char** argv) {
  const started_openshmem here;
  return isx::run("OpenSHMEM and OpenMP", isx::arguments::parse(argc, argv), sort);
}
