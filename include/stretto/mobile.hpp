// mobile.hpp - mobile objects: objects that migrate between nodes, and messages that run handlers on them.
//
//     struct account {
//       long balance = 0;
//       void pay(long sum) { balance += sum; }
//       long shown() const { return balance; }
//       template <class Archive>
//       friend void fields(Archive& a, archived<account, Archive>& x) { a(x.balance); }
//     };
//     long doubled_payment() {
//       mobile<account> m = make_mobile<account>(at_node(0), name("savings"));
//       send(m, call<&account::pay>(5));
//       future<long> before = send(m, call<&account::shown>());
//       future<void> doubled = send(after(before), m, call([](account& a, long by) { a.balance *= by; }, 2));
//       migrate(m, at_node(job_nodes() - 1));  // later messages follow the object
//       const long result = send(after(doubled), m, call<&account::shown>()).get();
//       destroy(m);
//       return result;  // 10
//     }
//
// A handler runs as a task on the node of its object. A handler that takes the object as const is a reader; readers run
// together. Any other handler has exclusive use of the object, also while it waits. Arguments and results are
// serialised by fields(), or moved if the object is local; a handler cannot tell the difference.
//
// Threads     Every function may be called from any thread that belongs to a runtime. A mobile<T> is a name: it is
//             passed by value, also to other nodes.
// Memory      A handler sees its arguments and the writes of earlier handlers to the object, but no other writes before
//             send().
// Cost        Local object: about three asyncs, a few tens of nanoseconds more than one. Remote object: a message and a
//             reply, and a second reply if the handler leaves work behind. A node that does not know where the object
//             is asks the node that made it. A message takes at most five hops.
// Invariants  (1) A handler runs once, or never if its future fails. (2) Handlers begin in the order in which one node
//             sent their messages, also if the object migrates; a message with after(...) is sent when its events have
//             triggered. (3) An object migrates when none of its handlers runs, and takes waiting messages with it. (4)
//             An object fails with its node. If its home node fails, the one that made it, nodes that do not know its
//             location cannot reach it any more. Messages to such an object fail. (5) A message that a node has no
//             memory for fails alone, with N18. An object that a node has no memory for does not migrate there.
// Source      Mobile objects with remote handlers: PREMA. Entry methods and location management: Charm++.
#pragma once

#include <stretto/detail/handler_span.hpp>
#include <stretto/detail/mobile_access.hpp>
#include <stretto/detail/mobile_message.hpp>
#include <stretto/event.hpp>
#include <stretto/fields.hpp>
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

/// The name of an object of type T, on every node. A copy names the same object; a default-made one names none.
template <class T>
class mobile {
 public:
  constexpr mobile() noexcept = default;
  /// Whether it names an object.
  constexpr bool is_valid() const noexcept { return id_ != 0; }
  friend constexpr auto operator<=>(const mobile&, const mobile&) noexcept = default;
  /// The text `M3 "savings"`, or "M3" if this node does not know the name; "N2:M3" if node 2 made it. Throws B20.
  friend std::string to_string(const mobile& m) { return detail::name_of_object(m.id_); }

 private:
  friend detail::mobile_access;
  std::uint64_t id_ = 0;
};

/// Counts of the mobile objects and messages of one node since its start.
struct mobile_statistics {
  std::uint64_t objects = 0;                  // local ones, now
  std::uint64_t near = 0;                     // messages of this node to local objects
  std::uint64_t far = 0;                      // messages of this node to remote objects
  std::uint64_t passed_on = 0;                // messages of any node that this node forwarded
  std::uint64_t most_hops = 0;                // the most hops of a message that arrived here
  std::uint64_t moved_in = 0, moved_out = 0;  // migrations to and from this node
  /// messages of broadcasts and reductions that this node sent or forwarded, each for objects of one or several nodes
  std::uint64_t to_many = 0;
};
/// The statistics of the mobile objects of the calling thread's runtime. Throws B20.
mobile_statistics current_mobile_statistics();

/// An event that triggers once no message to a mobile object is under way or being handled on any node of the job.
/// Messages that were sent `detached`, and messages that wait for an event, count, too. All messages sent before the
/// call have then been handled. Tasks that handlers have spawned may still run, and other tasks may send meanwhile.
///
///   throws   B20 on a thread of no runtime
///   cost     two messages to each node and two replies, once no node has a message under way
///   Source   counting in two rounds: Mattern, "Algorithms for distributed termination detection", 1987; quiescence
///            detection of Charm++
event quiescence(std::source_location where = std::source_location::current());

/// Creates an object of type T and returns its name at once.
///
///   tags      at_node(n): on that node, from serialised arguments; without it on this node, in the call. name("text"):
///             for error messages
///   throws    B20; N02 if there is no such node; without at_node, the exception of the constructor. With at_node(n),
///             also for this node, an exception of the constructor fails the messages to the object, and the finish
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

/// The handler and arguments of a message: call<&T::f>(arguments...), call<&f>(arguments...) or call(lambda,
/// arguments...). A function or a lambda without captures takes the object first, by reference or const reference. The
/// arguments are converted to the other parameters. Throws what copying the arguments throws.
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

/// Sends a message: the handler runs on the object's node. Returns the future of its result. An exception of the
/// handler poisons only the future; the object stays as the handler left it.
///
///   tags     after(...): sends when these have ended; name("text"), priority(n)
///   throws   B20; G01 if `to` names no object. The future fails with G02 if the object has been destroyed, with G03 if
///            its node has failed, with N13 if its node does not know the handler, with B40 if its node cannot read the
///            arguments
template <class T, class Get>
auto send(const mobile<T>& to, detail::handler_call<Get> c,
          std::source_location where = std::source_location::current()) {
  return detail::mobile_access::send(to, std::move(c), where);
}
template <class... A>
  requires(detail::is_mobile<std::remove_cvref_t<A>> || ...)
auto send(detail::first_tag<detail::send_request, A...> first, A&&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<class T, class Get>(const mobile<T>& to, detail::handler_call<Get> c,
                              std::same_as<std::source_location> auto... called) {
        return detail::mobile_access::send_with(first.request, to, std::move(c),
                                                detail::called_at(first.where, called...));
      },
      std::forward<A>(rest)...);
}

/// Migrates the object to a node, ahead of its waiting messages. The future is ready when the object has arrived, or at
/// once if it is there.
///
///   tags     after(...): asks for the migration when these have ended; name("text")
///   throws   B20, G01; N02 if there is no such node. The future fails with G02, G03, with N05 if the node has failed,
///            and with what `fields` threw; the object then stays
///   cost     four messages, and the object's bytes
template <class T>
future<void> migrate(const mobile<T>& of, at_node to, std::source_location where = std::source_location::current()) {
  return detail::mobile_access::order(detail::message_action::migrate, {}, of, to.index, where);
}
template <class... A>
  requires(detail::is_mobile<std::remove_cvref_t<A>> || ...)
future<void> migrate(detail::first_tag<detail::order_request, A...> first, const A&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<class T>(const mobile<T>& of, at_node to, std::same_as<std::source_location> auto... called) {
        return detail::mobile_access::order(detail::message_action::migrate, first.request, of, to.index,
                                            detail::called_at(first.where, called...));
      },
      rest...);
}

/// Destroys the object after the messages that this node has sent to it. Later messages fail with G02. An object that
/// is not destroyed ends with its runtime. Tags as of migrate. Throws B20, G01; the future fails with G02, G03.
template <class T>
future<void> destroy(const mobile<T>& of, std::source_location where = std::source_location::current()) {
  return detail::mobile_access::order(detail::message_action::destroy, {}, of, 0, where);
}
template <class... A>
  requires(detail::is_mobile<std::remove_cvref_t<A>> || ...)
future<void> destroy(detail::first_tag<detail::order_request, A...> first, const A&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<class T>(const mobile<T>& of, std::same_as<std::source_location> auto... called) {
        return detail::mobile_access::order(detail::message_action::destroy, first.request, of, 0,
                                            detail::called_at(first.where, called...));
      },
      rest...);
}

/// Whether the object is on the caller's node now. It may migrate at any time. Throws B20.
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
