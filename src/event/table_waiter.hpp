// table_waiter.hpp - a waiter in the memory of the event table, so that nothing leaks if its event never ends.
//
//     waiter& w = make_table_waiter([this, to](const failure* cause, base::thread_context&) { reply(to, cause); },
//     context); if (!subscribe(e, w, context)) w.fire(w, nullptr, context);
//
// `Then` is trivially destructible. When the waiter is fired, its memory is freed before the call of `Then`.
//
// Threads     any that have entered the events.
// Cost        a pop from the thread's list of free records, and a push.
#pragma once

#include <new>
#include <type_traits>

#include "event/event_table.hpp"

namespace stretto::detail {

/// `Base` is waiter, or derives from it.
template <class Then, class Base = waiter>
class table_waiter final : public Base {
 public:
  static Base& make(const Then& then, base::thread_context& context) {
    static_assert(sizeof(table_waiter) <= event_table::record_bytes && std::is_trivially_destructible_v<table_waiter>);
    return *new (event_cache::of(context).records.allocate()) table_waiter(then);
  }
  /// Frees the memory of a waiter that will not be fired.
  static Then take(waiter& w, base::thread_context& context) noexcept {
    const Then then = static_cast<table_waiter&>(w).then_;
    event_cache::of(context).records.free(&w);
    return then;
  }

 private:
  explicit table_waiter(const Then& then) : then_(then) {
    this->fire =
        +[](waiter& self, const failure* cause, base::thread_context& on) noexcept { take(self, on)(cause, on); };
  }

  Then then_;
};

template <class Base = waiter, class Then>
Base& make_table_waiter(const Then& then, base::thread_context& context) {
  return table_waiter<Then, Base>::make(then, context);
}

}  // namespace stretto::detail
