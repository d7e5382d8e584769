#include "isx_program.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace isx {

arguments arguments::parse(int argc, char** argv) {
  arguments a;
  if (argc > 1) a.log2_of_keys = std::atoi(argv[1]);
  if (argc > 2) a.key_bits = std::atoi(argv[2]);
  if (argc > 3) a.repetitions = std::max(1, std::atoi(argv[3]));
  if (argc > 4) a.is_strong = argv[4] == std::string_view("strong");
  return a;
}

problem arguments::of(int pe, int pes) const {
  return (is_strong ? problem::strong : problem::weak)(log2_of_keys, key_bits, pe, pes);
}

int report(const char* version, const problem& p, const totals& all, std::vector<double> seconds) {
  const std::string fault = fault_of(p, all);
  if (p.pe != 0) return fault.empty() ? 0 : 1;
  std::printf("ISx, %s: %d PEs, %zu keys of %d bits on each\n", version, p.pes, p.keys_per_pe, p.key_bits);
  if (!fault.empty()) {
    std::printf("wrong: %s\n", fault.c_str());
    return 1;
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("verified: %ld keys, each counted on the PE of its range\nseconds: %.6f\n", all.keys,
              seconds[seconds.size() / 2]);
  return 0;
}

}  // namespace isx
