// request_part.hpp - a request whose operation is a part of another one: two messages, the messages of a collective.
//
// Threads     await: the one that begins the operation. The thread that completes it calls end_part().
#pragma once

#include <utility>

#include "event/waiter.hpp"
#include "ranks/messages/request.hpp"

namespace stretto::ranks {

/// `Whole` has a function end_part(request_part<Whole>&) noexcept, which is called once for each operation.
template <class Whole>
struct request_part : waiter {
  Whole* of = nullptr;
  request_owner operation;

  /// `begun` is active. It may have ended already.
  void await(Whole& whole, request_owner begun) {
    of = &whole;
    operation = std::move(begun);
    fire = [](waiter& link, const failure*, base::thread_context&) noexcept {
      auto& part = static_cast<request_part&>(link);
      part.of->end_part(part);
    };
    if (!operation->subscribe(*this)) whole.end_part(*this);
  }
};

}  // namespace stretto::ranks
