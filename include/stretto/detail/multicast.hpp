// multicast.hpp - the implementation of broadcasts and reductions (collection.hpp): one message to many objects with
// consecutive ids, and one task that ends when all have replied.
//
// The body of the task begins with a `broadcast_body`. Local objects get messages of their own. For the others, the
// arguments are written once and sent to each node once, with the ids of its objects. The results of remote objects are
// read into the body.
//
// Threads     The core calls one function of a body at a time, except `read`, which it may call for several objects at
//             once.
// Cost        Remote objects: one message and one reply for each node. Local objects: a send for each.
// Invariants  (1) For each object it is a send: in the order of its sender, handled once, wherever the object is.
// Source      Multicasts to sections of a chare array along a tree of nodes: Charm++. Ours keeps no tree: the message
//             names nodes and objects.
#pragma once

#include <stretto/mobile.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <source_location>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

STRETTO_API_BEGIN

namespace stretto::detail {

struct broadcast_body {
  std::uint64_t first = 0, objects = 0;  // with consecutive ids
  const message_type* type = nullptr;    // null: destroy
  bool is_run = false;  // runs the body once all have replied without failure; false: the task just ends
  /// Sends to a local object; `bare` has a name and a priority. May throw.
  future_base (*send_local)(broadcast_body& self, std::uint64_t index, const task_request& bare,
                            const std::source_location& where) = nullptr;
  void (*write)(const broadcast_body& self, parcel& to) = nullptr;  // arguments; null: none
  /// a result; null: none is wanted
  void (*read)(broadcast_body& self, std::uint64_t index, field_reader& from) = nullptr;
};

/// Sends the message that the body describes, once the events of `request` have triggered. Throws G01 and what writing
/// the arguments throws, after it has freed the record. The task fails with the failure of the lowest index.
void post_broadcast(completion& record, broadcast_body& body, const task_request& request);

template <class T, class Get>
struct broadcast_call : broadcast_body {
  using signature = handler_of<typename Get::type>;
  using result = typename signature::result;

  broadcast_call(std::uint64_t first_object, std::uint64_t count, const handler_call<Get>& c) : call(c) {
    first = first_object;
    objects = count;
    type = &local_message<T, Get>::type;
    send_local = send_one;
    write = write_arguments;
  }
  static auto send_to(broadcast_body& self, std::uint64_t index, const task_request& bare,
                      const std::source_location& where) {
    auto& m = static_cast<broadcast_call&>(self);
    return mobile_access::send_bare(mobile_access::named<T>(m.first + index), handler_call<Get>(m.call), bare, where);
  }
  static future_base send_one(broadcast_body& self, std::uint64_t index, const task_request& bare,
                              const std::source_location& where) {
    return send_to(self, index, bare, where);
  }
  static void write_arguments(const broadcast_body& self, parcel& to) {
    to.may_be_read_twice = to.are_values_kept = true;  // by several nodes, and by local messages
    write_parcel(to, static_cast<const broadcast_call&>(self).call.arguments);
  }
  handler_call<Get> call;
};

template <class Body>
void drop_broadcast(void* storage) noexcept {
  std::launder(static_cast<Body*>(storage))->~Body();
}
/// The type of a task whose body is not run: it ends when all have replied.
template <class Body>
inline constexpr task_type broadcast_task{task_kind, nullptr, &drop_broadcast<Body>, nullptr};

struct broadcast_destroy : broadcast_body {
  broadcast_destroy(std::uint64_t first_object, std::uint64_t count) noexcept {
    first = first_object;
    objects = count;
    send_local = [](broadcast_body& self, std::uint64_t index, const task_request& bare,
                    const std::source_location& where) {
      return future_base(
          future_access::make<void>(post_order(message_action::destroy, self.first + index, 0, bare, where)));
    };
  }
};

/// Folds the results in the order of the indices.
template <class T, class Get, class V, class F>
struct broadcast_fold : broadcast_call<T, Get> {
  using result = typename broadcast_call<T, Get>::result;
  struct reply {
    future<result> local;
    std::optional<result> remote;
    const result& value() const { return remote ? *remote : local.get(); }
  };

  broadcast_fold(std::uint64_t first_object, std::uint64_t count, const handler_call<Get>& c, V&& initial, F&& fold)
      : broadcast_call<T, Get>(first_object, count, c), replies(count), so_far(std::move(initial)), f(std::move(fold)) {
    this->is_run = true;
    this->send_local = [](broadcast_body& self, std::uint64_t index, const task_request& bare,
                          const std::source_location& where) {
      return future_base(static_cast<broadcast_fold&>(self).replies[index].local =
                             broadcast_call<T, Get>::send_to(self, index, bare, where));
    };
    this->read = [](broadcast_body& self, std::uint64_t index, field_reader& from) {
      from(static_cast<broadcast_fold&>(self).replies[index].remote.emplace());
    };
  }
  V folded() {
    for (const reply& a : replies) so_far = f(std::move(so_far), a.value());
    return std::move(so_far);
  }
  static void run(void* storage) {
    V value = [&] {
      struct ending {
        broadcast_fold& body;
        ~ending() { body.~broadcast_fold(); }
      } then{*std::launder(static_cast<broadcast_fold*>(storage))};
      return then.body.folded();
    }();
    ::new (storage) V(std::move(value));
  }
  static constexpr task_type task{task_kind, run, broadcast_task<broadcast_fold>.drop_body, value_type<V>.drop_value,
                                  storage_alignment<V>};
  static constexpr std::size_t bytes() {
    return sizeof(broadcast_fold) > sizeof(V) ? sizeof(broadcast_fold) : sizeof(V);
  }

  std::vector<reply> replies;
  V so_far;
  F f;
};

/// Makes the task with Body(all...) and sends.
template <class Body, class V, class... A>
future<V> start_broadcast(std::size_t bytes, const task_type& type, const std::source_location& where,
                          const task_request& request, A&&... all) {
  static_assert(alignof(Body) <= storage_offset,
                "arguments of a handler, and what folds its results, are aligned to at most 64 bytes");
  task_request bare;
  bare.name = request.name;
  bare.priority = request.priority;
  completion& record = *make_task(bytes, type, where, bare).record;
  Body* body;
  try {
    body = ::new (storage_of(record)) Body(std::forward<A>(all)...);
  } catch (...) {
    abandon(record);
    throw;
  }
  post_broadcast(record, *body, request);
  return future_access::make<V>(record);
}

}  // namespace stretto::detail

STRETTO_API_END
