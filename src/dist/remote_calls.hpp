// remote_calls.hpp - the calls to other nodes that wait here for a reply: one table for each kind of call.
//
// Request     add() returns the number of a call, which the request carries to the callee and its reply carries back.
//             Add the call before you send the request.
// Reply       complete() returns the call that the reply ends. The caller then ends what waits, with no lock held. A
//             reply has one part, or two: first the value, later the end of all that the callee has spawned for it. An
//             end that overtakes its value is kept until the value arrives.
// Late, twice A number is never used again. A reply to a call that is over, and a part that has arrived before, return
//             nothing.
// Failure     fail_if() returns the calls whose reply will not come: those to a failed node, or about a destroyed
//             object. If the callee fails between add() and the request, nobody replies. Therefore, after sending,
//             check whether the callee has failed, and end the call like a failure does: it is returned once.
// Shutdown    The destructor drops the calls that are left and ends nothing: the owner must end them before.
//
// `Call` is a value: what waits, and what the failure of a node or an object needs to find it. If replies have two
// parts, it has Call take_value(about...): moves out what the value ends, and keeps what the end needs.
//
// Threads     any. The lock is the last in the lock order: a protocol may call this class while it holds its own.
// Cost        add, complete: a short lock. fail_if, for_each: O(calls), in the order of adding.
// Invariants  (1) each call is returned once for its value, and once, then or later, for its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/numbers.hpp"
#include "base/slot_map.hpp"
#include "base/spin_lock.hpp"
#include "event/failure.hpp"

namespace stretto::dist {

/// Identifies a call at the node that waits for its reply; 0: no call.
enum class call_number : std::uint64_t {};

/// A part of a reply: the value; it and the end of all that was spawned; or the latter alone.
enum class reply_stage : std::uint8_t { value, value_and_end, end };

template <class Call>
class remote_calls {
 public:
  /// A call as a part of its reply, or a failure, ends it.
  struct ended {
    Call call;
    bool ends_value = true;  // what waits for the value must be ended; `call` is as it was added
    bool ends_call = true;   // what waits for the end must be ended
    failure_ref end_cause = {};
  };

  call_number add(Call call) {
    return add(std::move(call), [](call_number) {});
  }
  /// The same. Calls f(number) with the lock held, before another thread can find the call.
  template <class F>
  call_number add(Call call, F&& f) {
    const std::scoped_lock lock(lock_);
    const call_number n{calls_.add({std::move(call)})};
    f(n);
    return n;
  }
  /// The whole reply, or something else that ends the call.
  std::optional<Call> complete(call_number n) {
    std::optional<Call> found;
    const std::scoped_lock lock(lock_);
    if (entry* const e = calls_.find(base::value_of(n))) {
      found.emplace(std::move(e->call));
      calls_.erase(base::value_of(n));
    }
    return found;
  }
  /// A part of the reply. `end_cause`: with the end, why something that was spawned has failed. `about`: what
  /// take_value() is given.
  template <class... About>
  std::optional<ended> complete(call_number n, reply_stage part, failure_ref end_cause = {}, const About&... about) {
    std::optional<ended> found;
    const std::scoped_lock lock(lock_);
    entry* const e = calls_.find(base::value_of(n));
    if (!e) return found;
    if (part == reply_stage::end && !e->has_value) {
      e->has_end = true;
      e->end_cause = std::move(end_cause);
    } else if (part == reply_stage::end) {
      found.emplace(ended{std::move(e->call), false, true, std::move(end_cause)});
      calls_.erase(base::value_of(n));
    } else if (e->has_value) {
      return found;
    } else if (part == reply_stage::value_and_end || e->has_end) {
      found.emplace(ended{std::move(e->call), true, true, std::move(e->end_cause)});
      calls_.erase(base::value_of(n));
    } else {
      e->has_value = true;
      found.emplace(ended{e->call.take_value(about...), true, false, {}});
    }
    return found;
  }
  /// Ends the calls for which is_over(call) is true: they get no reply any more. Called with the lock held.
  template <class F>
  std::vector<ended> fail_if(F&& is_over) {
    std::vector<ended> all;
    const std::scoped_lock lock(lock_);
    calls_.for_each([&](std::uint64_t n, entry& e) {
      if (!is_over(std::as_const(e.call))) return;
      all.push_back({std::move(e.call), !e.has_value, true, {}});
      calls_.erase(n);
    });
    return all;
  }

  /// f(call), with the lock held, unless the call is over.
  template <class F>
  void change(call_number n, F&& f) {
    const std::scoped_lock lock(lock_);
    if (entry* const e = calls_.find(base::value_of(n))) f(e->call);
  }
  /// f(number, call), with the lock held, for each.
  template <class F>
  void for_each(F&& f) {
    const std::scoped_lock lock(lock_);
    calls_.for_each([&](std::uint64_t n, const entry& e) { f(call_number{n}, e.call); });
  }
  std::size_t size() const {
    const std::scoped_lock lock(lock_);
    return calls_.size();
  }

 private:
  struct entry {
    Call call;
    bool has_value = false;  // the value has arrived, and the end has not
    bool has_end = false;    // the end has arrived, and the value has not
    failure_ref end_cause = {};
  };

  mutable base::spin_lock lock_;
  base::slot_map<entry> calls_;
};

}  // namespace stretto::dist
