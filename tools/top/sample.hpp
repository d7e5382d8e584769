// sample.hpp - the reply of a live process to one query of `stretto top`.
#pragma once

#include <cstdint>
#include <stretto/runtime.hpp>
#include <string>
#include <vector>

namespace stretto::top {

struct work {
  std::string what, unit;
  std::uint64_t done = 0, total = 0;
};

struct runtime_sample {
  std::uint64_t node = 0;
  double seconds = 0;  // since it was made
  runtime_statistics counted;
};

struct sample {
  std::uint64_t process = 0;
  std::string program;
  std::uint64_t resident_bytes = 0;
  std::vector<work> works;
  std::vector<runtime_sample> runtimes;
};

/// Parses the JSON reply of a process. Missing members stay 0, so that versions may differ.
///   throws   W41 if it is not such a text
sample read_sample(const std::string& text);

}  // namespace stretto::top
