// readonly_buffers.hpp - buffers of calls of MPI that programs only read from then on, and blocks that sender and
// receiver share in place of a copy.
//
// `acc mpi` with readonly declares the buffers of a call. The binding puts the declaration into the call's data, and
// the side that comes second shares the block or copies.
//
// Threads     any. The pointer variable of a receive belongs to the receive until that has ended.
// Cost        calls without a declaration: one load. A block is shared in about the time of two allocations.
// Source      J. Kim, S. Lee, J. S. Vetter, "IMPACC", HPDC 2016, section 3.8: heap aliasing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ranks/datatypes/data_part.hpp"

namespace stretto::ranks {

/// Whether blocks may be shared at all: STRETTO_ACC_SHARE_HEAP is not 0.
bool may_share_blocks() noexcept;

/// A buffer of the next call of MPI of the calling rank.
struct readonly_buffer {
  const void* at = nullptr;
  bool is_sent = false;
  void** variable = nullptr;  // the program's only pointer to what it receives; null: it does not receive into it
  const char* where = "";     // the line of the directive: "dgemm.c:88"
};

void declare_readonly(const readonly_buffer& one);
/// The call of that line has returned.
void end_readonly(const char* where);

/// Says at level info why data of a directive with readonly is copied.
void report_copy(const char* where, const char* because);

extern std::atomic<int> readonly_buffer_count;
inline bool has_readonly_buffers() { return readonly_buffer_count.load(std::memory_order_relaxed) > 0; }

/// The data of a send or a receive with what the calling rank has declared of its buffer. A receive buffer whose block
/// has other holds is replaced by a new block, so that a copy does not change what others read.
data_part readonly_sent(const data_part& data, const void* buffer);
data_part readonly_received(const data_part& data, const void* buffer);
/// Whether the calling rank has declared that it sends from this buffer, and only reads it from then on.
bool is_sent_readonly(const void* buffer);

/// Shares the sender's block if both sides have declared their buffers and it can be. Else the caller copies.
bool try_share_block(const data_part& into, const data_part& from);
/// The same of a receive whose data comes from another node, or in parts: says why it is copied.
void report_copy_of(const data_part& into, const char* because);

}  // namespace stretto::ranks
