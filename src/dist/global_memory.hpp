// global_memory.hpp - memory that all nodes of a job read and write directly: its layout over the nodes, and copies.
//
// All nodes contribute a window of the same size. Together the windows form one range of addresses, the same on every
// node. Each node has a share of the range in which it makes its instances. The blocks of a share are distributed over
// the nodes round-robin, beginning with the share's own node. So a large instance is read from all nodes at once, and
// making an instance needs no message.
//
//     node 0's share  B0 B1 B2 B3 ..    on nodes  0 1 2 0 ..
//     node 1's share  B0 B1 B2 B3 ..    on nodes  1 2 0 1 ..
//
// Threads     any thread of the runtime; completions run on threads of the runtime.
// Cost        one put or get per row and per block that a row touches; at most 256 of one copy are in flight.
// Source      global memory as a kind of memory: Treichler, Bauer, Aiken, "Realm", PACT 2014, section 2; round-robin
//             blocks as in UPC.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "dist/job.hpp"
#include "platform/channel_registry.hpp"

namespace stretto {
class platform;
}

namespace stretto::dist {

/// Pure: the size of a share, and the node and offset of each of its bytes.
class global_layout {
 public:
  static constexpr std::uint64_t block_bytes = 64 << 10;
  /// Not an address that a processor can access, so that a mistaken load or store stops the program.
  static constexpr std::uintptr_t first_address = std::uintptr_t{1} << 56;

  /// A share has `bytes`, rounded up to a multiple of one block per node.
  global_layout(std::uint32_t nodes, std::uint64_t bytes) noexcept
      : nodes_(nodes), share_((bytes + nodes * block_bytes - 1) / (nodes * block_bytes) * (nodes * block_bytes)) {}

  std::uint64_t share_bytes() const noexcept { return share_; }
  std::byte* first_of(rank node) const noexcept { return reinterpret_cast<std::byte*>(first_address + node * share_); }

  struct spot {
    rank node;
    std::uint64_t offset;  // in that node's window
    std::uint64_t bytes;   // contiguous from there
  };
  spot spot_of(const std::byte* address) const noexcept {
    const std::uint64_t at = reinterpret_cast<std::uintptr_t>(address) - first_address;
    const std::uint64_t share = at / share_, block = at % share_ / block_bytes, in_block = at % block_bytes;
    return {static_cast<rank>((share + block) % nodes_),
            share * (share_ / nodes_) + block / nodes_ * block_bytes + in_block, block_bytes - in_block};
  }

 private:
  std::uint64_t nodes_, share_;
};

class global_memory final : public places::channel {
 public:
  /// Collective over the nodes of a started job. Throws N16.
  global_memory(job& j, std::uint64_t bytes_of_each_node);
  /// For a runtime that is not part of a job.
  explicit global_memory(std::uint64_t bytes);

  const global_layout& layout() const noexcept { return layout_; }
  std::byte* first_of_share() const noexcept;
  /// True while copies are in flight.
  bool is_moving() const noexcept { return moving_.load(std::memory_order_acquire) != 0; }

  /// `machine` with a place "global_memory" added.
  static platform extended(const platform& machine);
  /// The place "global_memory" of that platform, or none.
  static place place_of(const platform& machine);
  /// Sets this memory's place. Must be called before the first copy.
  void is_at(place where) noexcept { where_ = where; }

  void start(const places::copy_end& source, const places::copy_end& target, places::copy_shape shape,
             places::completion& done) override;
  double bandwidth_bytes_per_second(place source, place target) const override;
  double latency_seconds(place source, place target) const override;

 private:
  struct running_copy;

  void put(const global_layout::spot& to, std::span<const std::byte> from, places::completion& done);
  void get(const global_layout::spot& from, std::span<std::byte> into, places::completion& done);
  /// If that node is lost, ends `done` with N05 and returns true.
  bool fails(rank node, std::uint64_t bytes, places::completion& done) const;

  job* const job_;
  const global_layout layout_;
  const std::unique_ptr<net::window> own_;  // for a runtime that is not part of a job
  net::window& window_;
  place where_;
  std::atomic<std::uint64_t> moving_{0};  // copies in flight
};

/// Registers the channels between global memory and host memory, and within global memory.
void add_global_channels(places::channel_registry& registry, const std::shared_ptr<global_memory>& memory);

}  // namespace stretto::dist
