// exported_memories.hpp - memories that simulated devices export to others in this process, each under a unique
// number.
//
// Threads     any.
// Memory      an importer shares ownership of the memory and may outlive the exporting device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "device/sim/sim_memory.hpp"

namespace stretto::device::sim {

/// Exports a memory while this object lives.
class exported_memory {
 public:
  explicit exported_memory(const std::shared_ptr<const sim_memory>& is);
  exported_memory(const exported_memory&) = delete;
  ~exported_memory();

  std::span<const std::byte> token() const noexcept { return std::as_bytes(std::span(&number_, 1)); }
  /// Null if nothing is exported under this token.
  static std::shared_ptr<const sim_memory> find(std::span<const std::byte> token);

 private:
  std::uint64_t number_;
};

}  // namespace stretto::device::sim
