// exported_memories.hpp - memories of simulated devices that others in this process may import, by a number that nobody else has.
//
// Threads     any.
// Memory      who imports one keeps it, whatever becomes of its device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "device/sim/sim_memory.hpp"

namespace stretto::device::sim {

/// One that can be found while this lives.
class exported_memory {
 public:
  explicit exported_memory(const std::shared_ptr<const sim_memory>& is);
  exported_memory(const exported_memory&) = delete;
  ~exported_memory();

  std::span<const std::byte> token() const noexcept { return std::as_bytes(std::span(&number_, 1)); }
  /// Null where nothing is exported under it.
  static std::shared_ptr<const sim_memory> find(std::span<const std::byte> token);

 private:
  std::uint64_t number_;
};

}  // namespace stretto::device::sim
