// answered.hpp - how a call whose function runs elsewhere ends here: with its value, and with all that it has spawned.
#pragma once

#include <stretto/remote.hpp>

#include <cstddef>
#include <span>

#include "event/failure.hpp"
#include "sched/scope_counting.hpp"
#include "sched/task_record.hpp"

namespace stretto::dist {

/// What an answer says.
enum class reply : std::uint8_t { value, failure, failure_for_good, value_with_more };  // more: what the value names waits with its node
inline bool is_failure(reply r) noexcept { return r == reply::failure || r == reply::failure_for_good; }

/// A call that has been asked for; its scope has counted it.
struct call_under_way {
  sched::task_record* record = nullptr;  // null: its value has come
  sched::finish_scope* scope = nullptr;
  detail::value_reader read = nullptr;   // null: it has none

  /// The record has its value, or the cause, also where the value cannot be read.
  void end_value(failure_ref cause, std::span<const std::byte> value, base::thread_context& context) const;
  /// The scope counts it no more.
  void end_all(const failure_ref& cause, base::thread_context& context) const;
};

}  // namespace stretto::dist
