// histogram.cpp - the histogram over nodes with MPI: each rank counts in a table of its own, and MPI_Reduce adds them;
// or each value is one MPI_Accumulate into the table of rank 0.
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
  if (rank == 0)
    bench::expect("sum of all buckets", std::accumulate(counts.begin(), counts.end(), 0L),
                  phases * bench::drawn_values(parts));
  return {.value = ns};
}

bench::outcome time_nodes_histogram_accumulate(const bench::options& o) {
  constexpr int phases = 3, most_under_way = 64;
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto parts = static_cast<std::uint32_t>(ranks), buckets = static_cast<std::uint32_t>(o.size);
  const auto mine = bench::drawn_buckets(static_cast<std::uint32_t>(rank), parts, buckets, bench::single_values);
  std::uint32_t* counts = nullptr;
  const auto bytes = rank == 0 ? static_cast<MPI_Aint>(buckets * sizeof *counts) : 0;
  MPI_Win window;
  MPI_Win_allocate(bytes, sizeof *counts, MPI_INFO_NULL, MPI_COMM_WORLD, &counts, &window);
  if (rank == 0) std::fill(counts, counts + buckets, 0u);
  MPI_Win_fence(0, window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  const bench::stopwatch clock;
  for (int i = 0; i < phases; ++i) {
    const std::uint32_t one = 1;
    int under_way = 0;
    for (const auto e : mine) {
      MPI_Accumulate(&one, 1, MPI_UINT32_T, 0, e, 1, MPI_UINT32_T, MPI_SUM, window);
      if (++under_way % most_under_way == 0) MPI_Win_flush(0, window);
    }
    MPI_Win_flush(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const long values = bench::drawn_values(parts, bench::single_values);
  const double ns = clock.nanoseconds_per(double{phases} * static_cast<double>(values));
  MPI_Win_unlock_all(window);
  MPI_Win_fence(0, window);
  long sum = rank == 0 ? std::accumulate(counts, counts + buckets, 0L) : 0;
  MPI_Win_free(&window);
  MPI_Bcast(&sum, 1, MPI_LONG, 0, MPI_COMM_WORLD);  // all end alike
  bench::expect("sum of all buckets", sum, phases * values);
  return {.value = ns};
}
