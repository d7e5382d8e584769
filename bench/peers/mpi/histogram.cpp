// histogram.cpp - the histogram over nodes by hand: each rank counts in a table of its own, and MPI_Reduce adds them.
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "common/histogram.hpp"
#include "messages.hpp"

bench::outcome time_nodes_histogram(const bench::options& o) {
  constexpr int phases = 3;
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto parts = static_cast<std::uint32_t>(ranks), buckets = static_cast<std::uint32_t>(o.size);
  const auto mine = bench::drawn_buckets(static_cast<std::uint32_t>(rank), parts, buckets);
  std::vector<std::uint32_t> own(buckets), sums(buckets), counts(buckets);
  MPI_Barrier(MPI_COMM_WORLD);
  const bench::stopwatch clock;
  for (int i = 0; i < phases; ++i) {
    std::fill(own.begin(), own.end(), 0u);
    for (const auto e : mine) ++own[e];
    MPI_Reduce(own.data(), sums.data(), static_cast<int>(buckets), MPI_UINT32_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
      for (std::uint32_t b = 0; b < buckets; ++b) counts[b] += sums[b];
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double ns = clock.nanoseconds_per(double{phases} * static_cast<double>(bench::drawn_values(parts)));
  if (rank == 0) bench::expect("sum of all buckets", std::accumulate(counts.begin(), counts.end(), 0L), phases * bench::drawn_values(parts));
  return {.value = ns};
}
