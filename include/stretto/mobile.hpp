// mobile.hpp - mobile objects: each lives on one node of the job and can migrate; messages reach it wherever it is.
//
//     struct account {
//       long balance = 0;
//       void pay(long sum) { balance += sum; }
//       long shown() const { return balance; }
//       template <class Archive>
//       friend void fields(Archive& a, archived<account, Archive>& x) { a(x.balance); }
//     };
//     mobile<account> m = make_mobile<account>(at_node(2), name("savings"));
//     send(m, call<&account::pay>(5));
//     future<long> balance = send(m, call<&account::shown>());
//     send(after(balance), m, call([](account& a, long by) { a.balance *= by; }, 2));
//     migrate(m, at_node(3));
//     destroy(m);
//
// A handler runs as a task on the node of its object. A handler that takes the object as const is a reader; readers run
// together. Any other handler has exclusive use of the object, also while it waits. Arguments and results are copied as
// their function `fields` says, or moved if the object is local; a handler cannot tell the difference.
//
// Threads     Every function may be called from any thread that belongs to a runtime. A mobile<T> is a name: it is
//             passed by value, also to other nodes.
// Memory      A handler sees what happened before send() only in its arguments. It sees what earlier handlers did to
//             the object.
// Cost        Local object: about three asyncs, a few tens of nanoseconds more than one. Remote object: a message and a
//             reply, and a second reply if the handler leaves work behind. A node that does not know where the object
//             is asks the node that made it. A message takes at most five hops.
// Invariants  (1) A handler runs once, or never if its future says why. (2) Handlers begin in the order in which one
//             node sent their messages, also if the object migrates; a message with after(...) is sent when its events
//             have triggered. (3) An object migrates when none of its handlers runs, and takes waiting messages with
//             it. (4) An object is lost with its node. It is also lost to nodes that must ask its home node, the one
//             that made it, if that node fails. Messages to a lost object fail. (5) A message that a node has no memory
//             for fails alone, with N18. An object that a node has no memory for stays where it is.
// Source      Mobile objects with remote handlers: PREMA. Entry methods and location management: Charm++.
#pragma once

#include <stretto/event.hpp>
#include <stretto/fields.hpp>
#include <stretto/handler_span.hpp>
#include <stretto/remote.hpp>
#include <stretto/task.hpp>

#include <atomic>
#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {
struct mobile_access;
std::string name_of_object(std::uint64_t id);
}  // namespace detail

/// The name of an object of type T, on every node. A copy names the same object; a default-made one names none.
template <class T>
class mobile {
 public:
  constexpr mobile() noexcept = default;
  constexpr bool is_valid() const noexcept { return id_ != 0; }
  friend constexpr auto operator<=>(const mobile&, const mobile&) noexcept = default;
  /// `M3 "savings"`, if this node knows its text; "N2:M3" if node 2 made it.
  friend std::string to_string(const mobile& m) { return detail::name_of_object(m.id_); }

 private:
  friend detail::mobile_access;
  std::uint64_t id_ = 0;
};

/// Counted on the caller's node since its start.
struct mobile_statistics {
  std::uint64_t objects = 0;    // local ones, now
  std::uint64_t near = 0;       // messages of this node to local objects
  std::uint64_t far = 0;        // messages of this node to remote objects
  std::uint64_t passed_on = 0;  // messages of any node that this node forwarded
  std::uint64_t most_hops = 0;  // the most hops of a message that arrived here
  std::uint64_t moved_in = 0, moved_out = 0;
  /// network messages of broadcasts and reductions, each for all objects of one or several nodes, sent or forwarded
  std::uint64_t to_many = 0;
};
mobile_statistics current_mobile_statistics();

/// Triggers once no message to a mobile object is under way or being handled on any node of the job. Messages sent
/// `detached`, and messages that wait for an event, count too. Messages sent before the call have then been handled.
/// Tasks that handlers have spawned may still run, and other tasks may send meanwhile.
///
///     detached([&] { send(all[0], call<&cell::begin>()); });  // cells send to one another until all have converged
///     wait(quiescence());
///
///   cost     two messages to each node and two replies, once no node has a message under way
///   Source   counting in two rounds: Mattern, "Algorithms for distributed termination detection", 1987; quiescence
///            detection of Charm++
event quiescence(std::source_location where = std::source_location::current());

namespace detail {

/// The type of an object: a constant of the program, as functions for other nodes are.
struct mobile_type {
  std::uint64_t mark;
  const char* name;                   // for error messages
  void* (*read)(field_reader& from);  // makes a new one; throws B40
  void (*write)(const void* object, parcel& to);
  void (*destroy)(void* object) noexcept;
  double (*hint)(const void* object) noexcept;  // null: the type has no load_hint()
  std::uint64_t bytes;                          // a migration sends at least this many
};
inline constexpr std::uint64_t mobile_type_mark = 0x745f656c69626f6d;

/// The type has a member load_hint() (balancing.hpp).
template <class T>
concept has_load_hint = requires(const T& object) {
  { object.load_hint() } -> std::convertible_to<double>;
};

template <class T>
struct mobile_operations {
  static_assert(left_of_exact<T>() == stays_behind::nothing,
                "this type cannot move: it is a pointer or a view, has one, or needs a function fields()");
  static_assert(explain<left_of_exact<T>(), T>());
  static_assert(std::is_default_constructible_v<T>,
                "this type cannot move: an object that arrives is made without arguments, then read");

  static const char* name() { return __PRETTY_FUNCTION__; }
  static void* read(field_reader& from) {
    auto object = std::make_unique<T>();
    from.exact(*object);
    if (from.left()) refuse_fields("bytes beyond the object", from.left(), 0);
    return object.release();
  }
  static void write(const void* object, parcel& to) { write_lasting(to, *static_cast<const T*>(object)); }
  static void destroy(void* object) noexcept { delete static_cast<T*>(object); }
  static constexpr auto hint() -> double (*)(const void*) noexcept {
    if constexpr (has_load_hint<T>)
      return +[](const void* object) noexcept {
        return static_cast<double>(static_cast<const T*>(object)->load_hint());
      };
    else return nullptr;
  }
  static constexpr const char* signature() { return __PRETTY_FUNCTION__; }
};
template <class T>
inline constexpr mobile_type mobile_type_of{mobile_type_mark,
                                            mobile_operations<T>::signature(),
                                            mobile_operations<T>::read,
                                            mobile_operations<T>::write,
                                            mobile_operations<T>::destroy,
                                            mobile_operations<T>::hint(),
                                            sizeof(T)};

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

/// The tags of send.
struct send_request : task_request {
  using task_request::apply;
};
/// The tags of migrate and destroy, which run no code of the program.
struct order_request : task_request {
  template <class Tag>
    requires requires(task_request request, const Tag& tag) { request.apply(tag); }
  void apply(const Tag& tag) noexcept {
    static_assert(
        !std::same_as<Tag, task_priority>,
        "migrate and destroy run no handler that could have a priority: their place is in the order of what is sent");
    task_request::apply(tag);
  }
};
template <class Tag>
concept send_tag =
    requires(task_request request, const Tag& tag) { request.apply(tag); } && !std::same_as<Tag, at_place> &&
    !std::same_as<Tag, on_processor> && !std::same_as<Tag, on_worker> && !std::same_as<Tag, profile_into>;

/// Sends the record, whose body is a message, to the object; `thread` null: looks the thread up. Throws G01 after it
/// has given the record back.
void post_message(completion& record, void* thread, std::uint64_t object, const task_request* request);
/// Makes and sends a migrate or destroy message.
completion& post_order(message_action action, std::uint64_t object, std::uint32_t to, const task_request& request,
                       const std::source_location& where);
bool is_object_here(std::uint64_t object);

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
  template <class T, class Get, class... Tag>
  static auto send_with(const mobile<T>& to, handler_call<Get>&& c, const std::source_location& where,
                        const Tag&... tag) {
    using Message = local_message<T, Get>;
    const auto request = request_of<task_request>(tag...);
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
    return send_with(to, std::move(c), where, task_name{bare.name}, task_priority{bare.priority});
  }
  template <class T, class... Tag>
  static future<void> order(message_action action, const mobile<T>& of, std::uint32_t to,
                            const std::source_location& where, const Tag&... tag) {
    return future_access::make<void>(post_order(action, of.id_, to, request_of<order_request>(tag...), where));
  }
};

}  // namespace detail

/// Makes an object and returns its name at once.
///
///   tags      at_node(n): on that node, from arguments that are sent; without it on this node, now. name("text"): for
///             error messages
///   throws    on this node: what the constructor throws. With at_node(n), also for this node, an exception of the
///             constructor fails the messages to the object, and the finish. N02 if there is no such node
///   cost      on this node: an event and the object; with at_node(n): a message and a reply
template <class T, class... A>
  requires(!(std::same_as<std::remove_cvref_t<A>, at_node> || ...) &&
           !(std::same_as<std::remove_cvref_t<A>, task_name> || ...))
mobile<T> make_mobile(A&&... arguments) {
  return detail::mobile_access::make<T>({}, std::forward<A>(arguments)...);
}
template <class T, class... A>
mobile<T> make_mobile(detail::located<at_node> node, detail::located<task_name> name, A&&... arguments) {
  return detail::mobile_access::make<T>({node.tag.index, name.tag.text, node.where}, std::forward<A>(arguments)...);
}
template <class T, class... A>
  requires(!(std::same_as<std::remove_cvref_t<A>, task_name> || ...))
mobile<T> make_mobile(detail::located<at_node> node, A&&... arguments) {
  return detail::mobile_access::make<T>({node.tag.index, {}, node.where}, std::forward<A>(arguments)...);
}
template <class T, class... A>
  requires(!(std::same_as<std::remove_cvref_t<A>, at_node> || ...))
mobile<T> make_mobile(detail::located<task_name> name, A&&... arguments) {
  return detail::mobile_access::make<T>({~0u, name.tag.text, name.where}, std::forward<A>(arguments)...);
}

/// The content of a message: a member function, or a function or a lambda without captures that takes the object first,
/// by reference or const reference; and the other arguments, which are converted to its parameters.
template <auto f, class... A>
  requires(detail::takes_object<decltype(f), sizeof...(A)>())
auto call(A&&... arguments) {
  return detail::handler_call<detail::named_function<f>>{{std::forward<A>(arguments)...}};
}
template <class L, class... A>
  requires(std::is_class_v<L> && detail::takes_object<L, sizeof...(A)>())
auto call(L, A&&... arguments) {
  static_assert(std::is_empty_v<L> && std::is_default_constructible_v<L>,
                "a lambda for another node captures nothing: what it needs are arguments");
  return detail::handler_call<detail::lambda_function<L>>{{std::forward<A>(arguments)...}};
}

/// Runs the handler on the object's node and returns the future of its result. An exception of the handler poisons only
/// the future: the object stays as the handler left it.
///
///   tags     after(...): sends when these have ended; name("text"), priority(n)
///   throws   B20; G01 if `to` names no object. The future fails with G02 if the object has been destroyed, with G03 if
///            it is lost, with N13 if its node does not know the handler, with B40 if its node cannot read the
///            arguments
template <class T, class Get>
auto send(const mobile<T>& to, detail::handler_call<Get> c,
          std::source_location where = std::source_location::current()) {
  return detail::mobile_access::send(to, std::move(c), where);
}
template <detail::send_tag T1, class T, class Get>
auto send(const T1& t1, const mobile<T>& to, detail::handler_call<Get> c,
          std::source_location where = std::source_location::current()) {
  return detail::mobile_access::send_with(to, std::move(c), where, t1);
}
template <detail::send_tag T1, detail::send_tag T2, class T, class Get>
auto send(const T1& t1, const T2& t2, const mobile<T>& to, detail::handler_call<Get> c,
          std::source_location where = std::source_location::current()) {
  return detail::mobile_access::send_with(to, std::move(c), where, t1, t2);
}
template <detail::send_tag T1, detail::send_tag T2, detail::send_tag T3, class T, class Get>
auto send(const T1& t1, const T2& t2, const T3& t3, const mobile<T>& to, detail::handler_call<Get> c,
          std::source_location where = std::source_location::current()) {
  return detail::mobile_access::send_with(to, std::move(c), where, t1, t2, t3);
}

/// Migrates the object to that node, ahead of its waiting messages. The future is ready when the object is there, and
/// at once if it already is.
///
///   tags     after(...): asks for the migration when these have ended; name("text")
///   throws   B20, G01; N02 if there is no such node. The future fails with G02, G03, with N05 if the node has failed,
///            and with what `fields` threw; the object then stays
///   cost     four messages, and the object's bytes
template <class T>
future<void> migrate(const mobile<T>& of, at_node to, std::source_location where = std::source_location::current()) {
  return detail::mobile_access::order(detail::message_action::migrate, of, to.index, where);
}
template <detail::send_tag T1, class T>
future<void> migrate(const T1& t1, const mobile<T>& of, at_node to,
                     std::source_location where = std::source_location::current()) {
  return detail::mobile_access::order(detail::message_action::migrate, of, to.index, where, t1);
}

/// Destroys the object after the messages that this node has sent to it. Later messages fail with G02. An object that
/// is not destroyed ends with its runtime. Tags as of migrate.
template <class T>
future<void> destroy(const mobile<T>& of, std::source_location where = std::source_location::current()) {
  return detail::mobile_access::order(detail::message_action::destroy, of, 0, where);
}
template <detail::send_tag T1, class T>
future<void> destroy(const T1& t1, const mobile<T>& of, std::source_location where = std::source_location::current()) {
  return detail::mobile_access::order(detail::message_action::destroy, of, 0, where, t1);
}

/// Whether the object is on the caller's node now; it may leave at any time.
template <class T>
bool is_here(const mobile<T>& m) {
  return detail::is_object_here(detail::mobile_access::id_of(m));
}

}  // namespace stretto

template <class T>
struct std::hash<stretto::mobile<T>> {
  std::size_t operator()(const stretto::mobile<T>& m) const noexcept {
    return std::hash<std::uint64_t>()(stretto::detail::mobile_access::id_of(m));
  }
};

STRETTO_API_END
