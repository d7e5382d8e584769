// random_streams.hpp - random numbers from many generators, in tasks of which only those of one column follow one
// another: sums of twelve, counted by size.
//
// Threads     counts_on_nodes is called inside run() of every node; the rest is pure.
// Source      S. Park, K. Miller, CACM 31 (1988); what sums of uniform numbers follow: J. O. Irwin, P. Hall, Biometrika
//             19 (1927).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace on_buffers {

struct streams {
  int columns = 24, rows = 16;  // generators, a task for each column and round
  int rounds = 10, sums = 200;  // sums of each generator in a round
  std::int64_t all_sums() const { return std::int64_t{columns} * rows * rounds * sums; }
};

/// From 0 to 12.
inline constexpr int bins = 48;
using counts = std::vector<std::int64_t>;  // of each bin

/// The same on every node.
counts counts_on_nodes(const streams& s);
/// By the standard library's generator.
counts counts_serially(const streams& s);

/// How many of all are to be expected.
std::vector<double> expected_counts(std::int64_t all);
/// Pearson's sum of squares; bins in which few are expected count together.
double chi_square(const counts& seen, const std::vector<double>& expected);

std::string histogram(const counts& seen, const std::vector<double>& expected);

}  // namespace on_buffers
