// operation_trace.hpp - records copies, fills and reductions in the trace, with the user's names.
//
// Threads     the thread that does the work; threads that are not workers have no track and record nothing.
// Cost        almost nothing unless every span is recorded; then a name look-up, two clock reads and a record.
#pragma once

#include "base/context.hpp"
#include "data/operation_request.hpp"
#include "trace/clock.hpp"

namespace stretto::data {

/// The span of a small operation that runs where it became ready. It is nested in the span that runs there. Tasks that
/// its end makes ready are recorded as caused by it.
class operation_span {
 public:
  // `what_ran`: the running span made it ready, rather than submitted it
  enum class cause : std::uint8_t { none, what_ran };

  operation_span(const operation_kind& kind, std::span<const detail::instance_handle> used, std::uint64_t bytes,
                 const std::source_location& where, cause made_ready_by, base::thread_context& context) {
    if (context.every_span) [[unlikely]]
      begin(kind, used, bytes, where, made_ready_by, context);
  }
  operation_span(const operation_request& r, cause made_ready_by, base::thread_context& context)
      : operation_span(*r.kind, {r.used.data(), r.used_count}, r.bytes, r.where, made_ready_by, context) {}
  operation_span(const operation_span&) = delete;
  /// Ends the span. Later spans in the scope are caused by the operation, but are not part of it.
  void stop() noexcept {
    if (context_) [[unlikely]]
      record_.end = trace::clock::now();
  }
  ~operation_span() {
    if (context_) [[unlikely]]
      end();
  }

 private:
  void begin(const operation_kind& kind, std::span<const detail::instance_handle> used, std::uint64_t bytes,
             const std::source_location& where, cause made_ready_by, base::thread_context& context);
  void end() noexcept;

  base::thread_context* context_ = nullptr;
  trace::record record_;
  std::uint64_t outer_id_ = 0;
};

/// Shows the running task as `bytes` of operation `r`. `from` and `to` are the memories of these bytes, which may be
/// hops of a route; null is memory of the program.
void show_task_as(const operation_request& r, std::uint64_t bytes, const memory_space* from, const memory_space* to,
                  base::thread_context& context);
void show_task_as(const operation_request& r, std::uint64_t bytes, base::thread_context& context);
/// Records that a channel has moved `bytes` of `r`, from `since` until now, without a thread of the runtime. Returns
/// the id of the transfer, 0 if it is not recorded.
std::uint64_t record_transfer(const operation_request& r, std::uint64_t bytes, const memory_space* from,
                              const memory_space* to, trace::ticks since, base::thread_context& context);

/// While it lives, tasks that become ready on this thread are recorded as caused by that operation; 0: no change.
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
