// process_memory.hpp - what the system says of this process's memory.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace stretto::test {

/// The bytes behind a word of /proc/self/status: "VmHWM:", the most that were in memory at once; "VmData:", data that
/// are mapped. 0: it does not say.
inline std::uint64_t process_memory(std::string_view what) {
  std::ifstream status("/proc/self/status");
  std::uint64_t kibibytes = 0;
  for (std::string word; status >> word;)
    if (word == what && status >> kibibytes) break;
  return kibibytes << 10;
}

}  // namespace stretto::test
