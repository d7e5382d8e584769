// access_span.hpp - in the trace, accesses to windows and files are spans of the rank that makes them.
//
// Threads     any thread of a rank.
// Cost        without a trace a load and a branch; else as a call in rank_trace.hpp.
#pragma once

#include <cstdint>

#include "ranks/process/rank_trace.hpp"

namespace stretto::ranks {

/// The innermost call of the calling thread accesses so many bytes while this lives. Time that it waits is no part of
/// the span, but a wait before it.
class access_span {
 public:
  explicit access_span(std::int64_t bytes)
      : track_(rank_trace::is_recording() ? rank_trace::of_thread() : nullptr), bytes_(bytes) {
    if (track_) [[unlikely]]
      track_->end_span();
  }
  access_span(const access_span&) = delete;
  ~access_span() {
    if (track_) [[unlikely]]
      track_->record_access(bytes_);
  }

 private:
  rank_trace* const track_;
  const std::int64_t bytes_;
};

/// The innermost call of the calling thread lets other ranks go on, or waits for them: it ends the span of its rank, so
/// that waits of others can name it as their cause.
inline void end_span_by_call() {
  if (!rank_trace::is_recording()) [[likely]]
    return;
  if (rank_trace* const track = rank_trace::of_thread()) track->end_span();
}

}  // namespace stretto::ranks
