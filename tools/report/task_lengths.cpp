#include "report/task_lengths.hpp"

#include <algorithm>
#include <bit>

namespace stretto::report {

length_histogram find_lengths(const run& r, nanoseconds overhead) {
  std::vector<length_bin> bins(65);
  std::vector<nanoseconds> lengths;
  length_histogram all;
  for (const record& one : r.records) {
    if (one.kind != kind::task && one.kind != kind::kernel) continue;
    length_bin& bin = bins[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(one.self)))];
    ++bin.count;
    bin.time += one.self;
    lengths.push_back(one.self);
    if (one.self < 10 * overhead) ++all.too_fine;
  }
  if (lengths.empty()) return all;
  all.count = lengths.size();
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  all.median = *middle;
  for (unsigned i = 0; i < 63; ++i) {
    bins[i].from = i == 0 ? 0 : nanoseconds{1} << (i - 1);
    bins[i].below = nanoseconds{1} << i;
  }
  const auto used = [](const length_bin& b) { return b.count != 0; };
  const auto first = std::find_if(bins.begin(), bins.end(), used);
  const auto last = std::find_if(bins.rbegin(), bins.rend(), used).base();
  all.bins.assign(first, last);
  return all;
}

}  // namespace stretto::report
