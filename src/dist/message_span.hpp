// message_span.hpp - records the handling of a message as a span of the trace, under the name of its kind. The span
// lasts as long as the object.
//
// Threads     the polling thread.
// Cost        at trace level full two clock reads and a record per message; else one load.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/context.hpp"
#include "trace/clock.hpp"
#include "trace/record.hpp"

namespace stretto::sched {
struct thread_state;
}

namespace stretto::dist {

/// The number of a kind's name in the trace of this runtime, assigned when its first message is handled.
struct traced_name {
  trace::name_id id = trace::no_name;
};

class message_span {
 public:
  /// Begins the span at trace level full. `cause`: the span that sent the message; 0 if the message does not say.
  /// `bytes`: of the message without its payload.
  message_span(base::thread_context& context, std::string_view kind, traced_name& name, std::uint64_t cause,
               std::uint64_t bytes)
      : cause_(cause), bytes_(bytes) {
    if (context.every_span) [[unlikely]]
      begin(context, kind, name);
  }
  message_span(const message_span&) = delete;
  ~message_span() {
    if (by_) [[unlikely]]
      record();
  }

 private:
  void begin(base::thread_context& context, std::string_view kind, traced_name& name);
  void record() noexcept;

  sched::thread_state* by_ = nullptr;  // null: nothing is recorded
  trace::name_id name_ = trace::no_name;
  trace::ticks start_ = 0;
  const std::uint64_t cause_, bytes_;
};

}  // namespace stretto::dist
