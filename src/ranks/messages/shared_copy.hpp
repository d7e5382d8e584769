// shared_copy.hpp - a large message, whose copy is split between the sender's worker and the receiver's.
//
// The request that comes second starts the copy. A rank that is suspended in a wait for the other request is resumed
// for it, and both claim parts until none is left.
//
// Threads     the thread that starts the copy, and at most one helper: the owner of the request that came first.
// Cost        one suspension more of the rank that waits, which is why small messages are not split.
// Invariants  (1) the state of the copy lies on the stack of the thread that starts it, which waits for the helper to
//             leave. (2) `helper` of a request smaller than split_bytes is not used.
#pragma once

#include <cstdint>
#include <source_location>

#include "ranks/messages/message_request.hpp"

namespace stretto::ranks {

/// Copies of fewer bytes are not split.
inline constexpr std::int64_t split_bytes = 32 << 10;

/// Copies as many bytes as both have; in one piece if the host cannot access them. `first` is the send or receive that
/// came first.
void copy_with_help(message_request& first, const data_part& to, const data_part& from);

/// Suspends the rank until the copy of a request begins, and copies parts of it. Returns early, too: the request need
/// not be done.
void help_with_copy(message_request& r, const std::source_location& where);

/// Whether a wait for the request may do so. Only sends and receives have the function.
inline bool can_help_with_copy(const request& r) noexcept {
  return r.functions().help && static_cast<const message_request&>(r).data.bytes() >= split_bytes;
}

/// No copy will begin any more: resumes a rank that waits for one.
void end_help(message_request& r) noexcept;

/// Ends a send or a receive.
inline void end_message(message_request& r) noexcept {
  if (r.data.bytes() >= split_bytes) [[unlikely]]
    end_help(r);
  r.end();
}

}  // namespace stretto::ranks
