// mobile_message.hpp - messages to mobile objects: the handler, its arguments, and how it runs here or on another node.
#pragma once

#include <stretto/detail/handler_span.hpp>
#include <stretto/detail/mobile_type.hpp>
#include <stretto/fields.hpp>
#include <stretto/remote.hpp>
#include <stretto/task.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto::detail {

/// The handler of a message: also a constant of the program.
struct message_type {
  std::uint64_t mark;
  const char* signature;
  const mobile_type* of;
  bool reads;  // false: exclusive use of the object
  /// reads arguments; `object` is null before construction
  void (*run)(void*& object, field_reader& arguments, field_writer& result);
  void (*write_arguments)(const void* message, parcel& to);  // of a local message
  value_reader read_value;                                   // null: void
  void (*keep_arguments)(field_reader& from, parcel& to);    // reads and writes them
};
inline constexpr std::uint64_t message_type_mark = 0x745f72657474656c;

/// The first members of what a node keeps for a local object.
struct local_object_base {
  void* object = nullptr;
  std::atomic<bool> is_measured{false};  // cost of handlers and of their kernels
};

void begin_span(handler_span& s, const local_object_base& of) noexcept;

enum class message_action : std::uint8_t { handle, make, destroy, migrate };

/// A message that is under way to an object or waits for it. A local one is the first part of its task's body.
struct message {
  message* next = nullptr;
  const message_type* type = nullptr;           // null: destroy, migrate
  local_object_base* handled_object = nullptr;  // while its handler runs
  std::uint64_t number : 48 = 0;                // sequence number among the messages of one node to one object
  std::uint64_t action : 8 = 0;
  std::uint64_t is_remote : 1 = 0;

  message() = default;
  explicit message(const message_type* t, message_action a = message_action::handle) noexcept
      : type(t), action(static_cast<std::uint64_t>(a)) {}
};

/// Call when a handler has returned: other handlers may use the object.
void leave_object(local_object_base& at, bool has_read, handler_span& s) noexcept;

template <class T, bool is_const, class R, class... A>
struct handler_signature : remote_signature<R, A...> {
  using object = T;
  static constexpr bool reads = is_const;
};
template <class F>
struct lambda_handler;
template <class L, class R, class T, class... A>
struct lambda_handler<R (L::*)(T&, A...) const>
    : handler_signature<std::remove_const_t<T>, std::is_const_v<T>, R, A...> {};
template <class L, class R, class T, class... A>
struct lambda_handler<R (L::*)(T&, A...) const noexcept>
    : handler_signature<std::remove_const_t<T>, std::is_const_v<T>, R, A...> {};
template <class F>
struct handler_of : lambda_handler<decltype(&F::operator())> {};
template <class R, class T, class... A>
struct handler_of<R (*)(T&, A...)> : handler_signature<std::remove_const_t<T>, std::is_const_v<T>, R, A...> {};
template <class R, class T, class... A>
struct handler_of<R (*)(T&, A...) noexcept> : handler_signature<std::remove_const_t<T>, std::is_const_v<T>, R, A...> {};
template <class R, class T, class... A>
struct handler_of<R (T::*)(A...)> : handler_signature<T, false, R, A...> {};
template <class R, class T, class... A>
struct handler_of<R (T::*)(A...) noexcept> : handler_signature<T, false, R, A...> {};
template <class R, class T, class... A>
struct handler_of<R (T::*)(A...) const> : handler_signature<T, true, R, A...> {};
template <class R, class T, class... A>
struct handler_of<R (T::*)(A...) const noexcept> : handler_signature<T, true, R, A...> {};

/// A handler and its arguments, made by call().
template <class Get>
struct handler_call {
  typename handler_of<typename Get::type>::arguments arguments;
};

template <class T, class Get>
struct local_message : message {
  using signature = handler_of<typename Get::type>;
  using arguments_type = typename signature::arguments;
  using result = typename signature::result;
  using seen = std::conditional_t<signature::reads, const T, T>;
  static_assert(std::derived_from<T, typename signature::object>,
                "this handler is one of another type than the object is of");

  explicit local_message(arguments_type&& all) noexcept(std::is_nothrow_move_constructible_v<arguments_type>)
      : message(&type), arguments(std::move(all)) {}

  static result call(void* object, arguments_type& all) {
    return std::apply(
        [object](auto&... a) -> result {
          return std::invoke(Get::get(), *static_cast<seen*>(object), std::move(a)...);
        },
        all);
  }
  struct leaving {
    local_message& done;
    handler_span span;
    explicit leaving(local_message& msg) noexcept : done(msg) {
      if (msg.handled_object->is_measured.load(std::memory_order_acquire)) begin_span(span, *msg.handled_object);
    }
    ~leaving() {
      local_object_base& at = *done.handled_object;
      done.~local_message();
      leave_object(at, signature::reads, span);
    }
  };
  static void run(void* storage) {
    auto& msg = *std::launder(static_cast<local_message*>(storage));
    if constexpr (std::is_void_v<result>) {
      const leaving then(msg);
      call(msg.handled_object->object, msg.arguments);
    } else {
      result value = [&] {
        const leaving then(msg);
        result mine = call(msg.handled_object->object, msg.arguments);
        field_separator()(std::as_const(mine));
        return mine;
      }();
      ::new (storage) result(std::move(value));
    }
  }
  static void run_remote(void*& object, field_reader& in, field_writer& out) {
    arguments_type all;
    in(all);
    if constexpr (std::is_void_v<result>) {
      call(object, all);
    } else {
      const result value = call(object, all);
      out(value);
    }
  }
  static void write_arguments(const void* storage, parcel& to) {
    write_parcel(to, std::launder(static_cast<const local_message*>(storage))->arguments);
  }
  static void keep_arguments(field_reader& from, parcel& to) {
    arguments_type all;
    from(all);
    write_parcel(to, all);
  }
  static void drop(void* storage) noexcept { std::launder(static_cast<local_message*>(storage))->~local_message(); }
  static constexpr value_reader reader() {
    if constexpr (std::is_void_v<result>) return nullptr;
    else
      return +[](field_reader& from, void* storage) {
        result value{};
        from(value);
        ::new (storage) result(std::move(value));
      };
  }

  static constexpr message_type type{message_type_mark, Get::signature(), &mobile_type_of<T>, signature::reads,
                                     run_remote,        write_arguments,  reader(),           keep_arguments};
  static constexpr task_type task{task_kind, run, drop, value_type<result>.drop_value, storage_alignment<result>};
  static constexpr std::size_t bytes() {
    return sizeof(local_message) > value_bytes<result> ? sizeof(local_message) : value_bytes<result>;
  }
  arguments_type arguments;
};

/// Constructs an object from arguments that were sent.
template <class T, class... A>
struct maker {
  static void run(void*& object, field_reader& in, field_writer&) {
    std::tuple<A...> all;
    in(all);
    object = std::apply([](A&... a) { return new T(std::move(a)...); }, all);
  }
  static constexpr const char* signature() { return __PRETTY_FUNCTION__; }
  static constexpr message_type type{message_type_mark, signature(), &mobile_type_of<T>, false, run, nullptr,
                                     nullptr,           nullptr};
};
/// A text is sent as the type that owns it.
template <class A>
using travelling =
    std::conditional_t<std::is_convertible_v<const std::decay_t<A>&, std::string_view>, std::string, std::decay_t<A>>;

}  // namespace stretto::detail

STRETTO_API_END
