// isx_blocking.hpp - the parts of ISx that both versions with blocking calls of OpenSHMEM have in common.
//
// Threads     the thread that has initialised OpenSHMEM.
#pragma once

#include "isx_program.hpp"

namespace isx {

/// Memory that other PEs write.
struct symmetric_memory {
  key* came;
  long* end;  ///< of the keys that came

  std::span<const key> keys() const { return {came, static_cast<std::size_t>(*end)}; }
};

/// The memory of one PE.
struct arrays {
  std::vector<key> drawn, buckets;
  std::vector<std::uint32_t> counters;
};

/// Sends bucket b, which begins at first[b], to PE b, for all b. Returns when all PEs have their keys.
void exchange(const problem& p, const arrays& mine, const std::vector<std::size_t>& first,
              const std::vector<std::size_t>& sizes, const symmetric_memory& at);

/// The program, except for the start and end of OpenSHMEM: `sort` is timed, between barriers. The exit code.
int run(const char* version, const arguments& given, void (*sort)(const problem&, arrays&, const symmetric_memory&));

}  // namespace isx
