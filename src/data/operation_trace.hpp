// recording.hpp - what the data floor writes into the trace: copies, fills and reductions, in the user's names.
//
// Threads     the thread that does the work; threads that are no workers have no track and record nothing.
// Cost        nothing to speak of unless every span is recorded; then a name look-up, two clock reads and a record.
#pragma once

#include "base/context.hpp"
#include "data/operation_request.hpp"
#include "trace/clock.hpp"

namespace stretto::data {

/// A small operation, done where it became ready, inside whatever runs there: its span nests in that one's, and what
/// its end makes ready was caused by it.
class operation_span {
 public:
  enum class cause : std::uint8_t { none, what_ran };  // `what_ran` made it ready, rather than asked for it to be done

  operation_span(const operation_kind& kind, std::span<const detail::instance_handle> used, std::uint64_t bytes,
                 const std::source_location& where, cause made_ready_by, base::thread_context& context) {
    if (is_recorded(context)) [[unlikely]]
      begin(kind, used, bytes, where, made_ready_by, context);
  }
  operation_span(const operation_request& r, cause made_ready_by, base::thread_context& context)
      : operation_span(*r.kind, {r.used.data(), r.used_count}, r.bytes, r.where, made_ready_by, context) {}
  operation_span(const operation_span&) = delete;
  /// The work is done; what still happens in its scope is caused by it, but no part of it.
  void stop() noexcept {
    if (context_) [[unlikely]]
      record_.end = trace::clock::now();
  }
  ~operation_span() {
    if (context_) [[unlikely]]
      end();
  }

 private:
  static bool is_recorded(const base::thread_context& context) noexcept;
  void begin(const operation_kind& kind, std::span<const detail::instance_handle> used, std::uint64_t bytes,
             const std::source_location& where, cause made_ready_by, base::thread_context& context);
  void end() noexcept;

  base::thread_context* context_ = nullptr;
  trace::record record_;
  std::uint64_t outer_id_ = 0;
};

/// The task that runs now does `bytes` of `r`: the trace shows it as that operation. `from` and `to` are where these
/// bytes are, which on a route of several hops is not where the operation's ends are; null is the program's memory.
void show_task_as(const operation_request& r, std::uint64_t bytes, const memory_space* from, const memory_space* to,
                  base::thread_context& context);
void show_task_as(const operation_request& r, std::uint64_t bytes, base::thread_context& context);
/// A channel has moved `bytes` of `r`, from `since` until now, while no thread of ours was at it. Returns the transfer's
/// id, 0 if it is not recorded.
std::uint64_t record_transfer(const operation_request& r, std::uint64_t bytes, const memory_space* from,
                              const memory_space* to, trace::ticks since, base::thread_context& context);

/// While it lives, what becomes ready on this thread was caused by that operation; 0: by whatever it is already.
class caused_by {
 public:
  caused_by(std::uint64_t id, base::thread_context& context) noexcept;
  caused_by(const caused_by&) = delete;
  ~caused_by();

 private:
  base::thread_context& context_;
  const std::uint64_t outer_id_;
};

}  // namespace stretto::data
