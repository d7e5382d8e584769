// isx_program.hpp - what all versions of ISx have in common: the command line, and the report of PE 0.
#pragma once

#include <vector>

#include "isx_keys.hpp"

namespace isx {

/// isx [LOG2_OF_KEYS [KEY_BITS [REPETITIONS [weak|strong]]]]
struct arguments {
  int log2_of_keys = 20;
  int key_bits = 28;
  int repetitions = 3;
  bool is_strong = false;

  static arguments parse(int argc, char** argv);
  problem of(int pe, int pes) const;
};

/// Prints the result on PE 0, with the median of the times. The exit code of the program.
int report(const char* version, const problem& p, const totals& all, std::vector<double> seconds);

}  // namespace isx
