// mobile_access.hpp - the implementation of mobile objects: creation, and the sending of messages.
#pragma once

#include <stretto/detail/mobile_message.hpp>
#include <stretto/detail/mobile_type.hpp>
#include <stretto/fields.hpp>
#include <stretto/remote.hpp>
#include <stretto/task.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

template <class T>
class mobile;

namespace detail {

std::string name_of_object(std::uint64_t id);
struct make_request {
  std::uint32_t node = ~0u;  // ~0: this node, now
  std::string_view name = {};
  std::source_location where;
};
/// A tag of make_mobile with its source line.
template <class Tag>
struct located {
  Tag tag;
  std::source_location where;
  located(Tag t, std::source_location w = std::source_location::current()) noexcept : tag(t), where(w) {}
};

std::uint64_t adopt_object(const make_request& request, const mobile_type& type, void* object);
std::uint64_t make_object(const make_request& request, const message_type& maker, parcel&& arguments);

template <class Tag>
concept send_tag = task_tag<Tag> && !std::same_as<Tag, at_place> && !std::same_as<Tag, on_processor> &&
                   !std::same_as<Tag, on_worker> && !std::same_as<Tag, profile_into>;
/// The tags of send.
struct send_request : task_request {
  template <send_tag Tag>
  void apply(const Tag& tag) noexcept {
    task_request::apply(tag);
  }
};
/// The tags of migrate and destroy, which run no code of the program.
struct order_request : task_request {
  template <send_tag Tag>
  void apply(const Tag& tag) noexcept {
    static_assert(
        !std::same_as<Tag, task_priority>,
        "migrate and destroy run no handler that could have a priority: their place is in the order of what is sent");
    task_request::apply(tag);
  }
};
/// Sends the record, whose body is a message, to the object. If `thread` is null, it finds the current thread. Throws
/// G01 after it has freed the record.
void post_message(completion& record, void* thread, std::uint64_t object, const task_request* request);
/// Makes and sends a migrate or destroy message.
completion& post_order(message_action action, std::uint64_t object, std::uint32_t to, const task_request& request,
                       const std::source_location& where);
bool is_object_here(std::uint64_t object);

template <class M>
inline constexpr bool is_mobile = false;
template <class T>
inline constexpr bool is_mobile<mobile<T>> = true;

struct mobile_access {
  template <class T>
  static constexpr mobile<T> named(std::uint64_t id) noexcept {
    mobile<T> m;
    m.id_ = id;
    return m;
  }
  template <class T>
  static constexpr std::uint64_t id_of(const mobile<T>& m) noexcept {
    return m.id_;
  }
  template <class T, class... A>
  static mobile<T> make(const make_request& request, A&&... arguments) {
    static_assert(std::is_constructible_v<T, A...>, "this object cannot be made of these arguments");
    if (request.node == ~0u) {
      auto object = std::make_unique<T>(std::forward<A>(arguments)...);
      const auto id = adopt_object(request, mobile_type_of<T>, object.get());
      object.release();
      return named<T>(id);
    }
    static_assert((transferable<travelling<A>> && ...),
                  "an argument for another node cannot travel: it is a pointer or a view, or a type that needs a "
                  "function fields()");
    static_assert((explain_travel<travelling<A>>() && ...));
    const std::tuple<travelling<A>...> all(std::forward<A>(arguments)...);
    return named<T>(make_object(request, maker<T, travelling<A>...>::type, to_parcel(all)));
  }
  template <class T, class Get>
  static auto send(const mobile<T>& to, handler_call<Get>&& c, const std::source_location& where) {
    using Message = local_message<T, Get>;
    static_assert(alignof(Message) <= storage_offset, "arguments of a handler are aligned to at most 64 bytes");
    field_separator()(std::as_const(c.arguments));
    const new_task made = make_task(Message::bytes(), Message::task, where);
    construct_body<Message>(*made.record, std::move(c.arguments));
    post_message(*made.record, made.thread, to.id_, nullptr);
    return future_access::make<typename Message::result>(*made.record);
  }
  template <class T, class Get>
  static auto send_with(const task_request& request, const mobile<T>& to, handler_call<Get>&& c,
                        const std::source_location& where) {
    using Message = local_message<T, Get>;
    task_request bare;
    bare.name = request.name;
    bare.priority = request.priority;
    field_separator()(std::as_const(c.arguments));
    const new_task made = make_task(Message::bytes(), Message::task, where, bare);
    construct_body<Message>(*made.record, std::move(c.arguments));
    post_message(*made.record, nullptr, to.id_, &request);
    return future_access::make<typename Message::result>(*made.record);
  }
  /// For a request that has at most a name and a priority.
  template <class T, class Get>
  static auto send_bare(const mobile<T>& to, handler_call<Get>&& c, const task_request& bare,
                        const std::source_location& where) {
    if (bare.name.empty() && !bare.priority) return send(to, std::move(c), where);
    return send_with(bare, to, std::move(c), where);
  }
  template <class T>
  static future<void> order(message_action action, const order_request& request, const mobile<T>& of, std::uint32_t to,
                            const std::source_location& where) {
    return future_access::make<void>(post_order(action, of.id_, to, request, where));
  }
};

}  // namespace detail
}  // namespace stretto

STRETTO_API_END
