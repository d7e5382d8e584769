// early_capacity.hpp - limited memory that messages take up from their copy until they have been received.
//
// Threads     any; release() is called under the lock of a mailbox.
#pragma once

#include <cstdint>

namespace stretto::ranks {

/// All ranks of a node together may keep so many bytes of early messages for one rank. Beyond that, a message stays
/// with its sender until a receive has it, so a rank that floods another one waits.
inline constexpr std::int64_t most_early_bytes = std::int64_t{64} << 20;

class early_capacity {
 public:
  /// A message of so many bytes has been received, or taken back.
  virtual void release(std::int64_t bytes) noexcept = 0;

 protected:
  ~early_capacity() = default;
};

}  // namespace stretto::ranks
