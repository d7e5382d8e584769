// transfer.hpp - one copy between memory and a file, as pieces that an engine moves.
//
// Threads     an engine owns a transfer from begin until it hands it to `ended`.
#pragma once

#include <stretto/channel.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "open_files.hpp"

namespace stretto {

inline constexpr std::size_t direct_alignment = 4096;
inline constexpr std::size_t bounce_bytes = 256 << 10;

/// Bytes that lie together in the file and in memory.
struct transfer_piece {
  std::uint64_t offset = 0;
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
  bool is_direct = false;   // offset and bytes are multiples of direct_alignment
  bool is_bounced = false;  // through a buffer that is aligned as `memory` is not; at most bounce_bytes

  friend bool operator==(const transfer_piece&, const transfer_piece&) = default;
};

/// Appends the pieces of one row. `is_direct`: whole blocks bypass the page cache.
void add_pieces(std::vector<transfer_piece>& to, std::uint64_t offset, std::byte* memory, std::size_t bytes,
                bool is_direct);

struct transfer {
  std::shared_ptr<file::opened> of;
  copy_done done;
  bool is_read = false;
  std::vector<transfer_piece> pieces;
  std::uint64_t offset = 0;  // of the whole, for messages
  std::size_t bytes = 0;
  std::chrono::steady_clock::time_point begun;  // by the steady clock
  std::chrono::steady_clock::time_point due;    // by the clock of the runtime: it must not end earlier
  // Used by the engine.
  std::size_t next = 0;    // piece to start
  std::size_t moving = 0;  // pieces that have started and not ended
  std::exception_ptr failure;

  int descriptor_for(const transfer_piece& p) const noexcept { return p.is_direct ? of->direct : of->descriptor; }
  /// The failure of a system call with this code at that piece; 0: it moved nothing.
  std::exception_ptr fault(int code, const transfer_piece& p) const;
};

}  // namespace stretto
