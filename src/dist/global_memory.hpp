// global_memory.hpp - the memory that all nodes of a job read and write by themselves: which byte lies on which node, and copies.
//
// All nodes lend a window of the same size. Together these are one range of addresses, the same on every node, of which each node has
// a share to make its instances in. Blocks of a share lie on the nodes in turn, the first on the share's own node, so that a large
// instance is read from all of them at once, and making one asks nobody.
//
//     node 0's share  B0 B1 B2 B3 ..    on nodes  0 1 2 0 ..
//     node 1's share  B0 B1 B2 B3 ..    on nodes  1 2 0 1 ..
//
// Threads     any thread of the runtime; completions run on threads of the runtime.
// Cost        a put or a get for each row, and for each block that a row reaches; at most 256 of a copy are under way.
// Source      global memory as a kind of memory: Treichler, Bauer, Aiken, "Realm", PACT 2014, section 2; blocks in turn as in UPC.
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

/// Pure: where the bytes of a share lie, and how large shares are.
class global_layout {
 public:
  static constexpr std::uint64_t block_bytes = 64 << 10;
  /// No address of a processor, so that a mistaken load or store stops the program.
  static constexpr std::uintptr_t first_address = std::uintptr_t{1} << 56;

  /// A share is `bytes`, rounded up to a block on each node.
  global_layout(std::uint32_t nodes, std::uint64_t bytes) noexcept
      : nodes_(nodes), share_((bytes + nodes * block_bytes - 1) / (nodes * block_bytes) * (nodes * block_bytes)) {}

  std::uint64_t share_bytes() const noexcept { return share_; }
  std::byte* first_of(rank node) const noexcept { return reinterpret_cast<std::byte*>(first_address + node * share_); }

  struct spot {
    rank node;
    std::uint64_t offset;  // in that node's window
    std::uint64_t bytes;   // that lie there side by side
  };
  spot spot_of(const std::byte* address) const noexcept {
    const std::uint64_t at = reinterpret_cast<std::uintptr_t>(address) - first_address;
    const std::uint64_t share = at / share_, block = at % share_ / block_bytes, in_block = at % block_bytes;
    return {static_cast<rank>((share + block) % nodes_), share * (share_ / nodes_) + block / nodes_ * block_bytes + in_block,
            block_bytes - in_block};
  }

 private:
  std::uint64_t nodes_, share_;
};

class global_memory final : public places::channel {
 public:
  /// Of a job that has been started: collective. Throws N16.
  global_memory(job& j, std::uint64_t bytes_of_each_node);
  /// Of a runtime that is alone.
  explicit global_memory(std::uint64_t bytes);

  const global_layout& layout() const noexcept { return layout_; }
  std::byte* first_of_share() const noexcept;
  /// Copies are under way.
  bool is_moving() const noexcept { return moving_.load(std::memory_order_acquire) != 0; }

  /// `machine` with a place "global_memory"; and which that is, or none.
  static platform extended(const platform& machine);
  static place place_of(const platform& machine);
  /// Before copies begin.
  void is_at(place where) noexcept { where_ = where; }

  void start(const places::copy_end& source, const places::copy_end& target, places::copy_shape shape, places::completion& done) override;
  double bandwidth_bytes_per_second(place source, place target) const override;
  double latency_seconds(place source, place target) const override;

 private:
  struct copying;

  void put(const global_layout::spot& to, std::span<const std::byte> from, places::completion& done);
  void get(const global_layout::spot& from, std::span<std::byte> into, places::completion& done);
  bool fails(rank node, std::uint64_t bytes, places::completion& done) const;

  job* const job_;
  const global_layout layout_;
  const std::unique_ptr<net::window> own_;  // of a runtime that is alone
  net::window& window_;
  place where_;
  std::atomic<std::uint64_t> moving_{0};
};

/// Between it and memories of the host, and within it.
void add_global_channels(places::channel_registry& registry, const std::shared_ptr<global_memory>& way);

}  // namespace stretto::dist
