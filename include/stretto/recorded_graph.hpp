// recorded_graph.hpp - graphs of tasks that are recorded once and replayed many times.
//
//     void relax_repeatedly(void (*relax)(int half, int step), int steps) {
//       recorded_graph<int> g(name("relax"));  // each replay has an int as its argument
//       auto left = g.add(name("left"), [=](int step) { relax(0, step); });
//       auto right = g.add(name("right"), [=](int step) { relax(1, step); });
//       g.add(after(left, right), [] { std::puts("a step is done"); });
//       event done;
//       for (int step = 0; step < steps; ++step) done = g.replay(step, after(done));
//       wait(done);
//     }
//
// Threads     recording: one thread at a time, while no replay is under way. replay: any thread of the runtime.
// Memory      writes before replay() are visible to its operations; their writes, once its event has triggered.
// Cost        a replayed task costs less than an async with the same preconditions: it needs no record and no list of
//             waiters, and with one predecessor no counter. A replay allocates nothing unless more replays overlap than
//             ever before.
// Invariants  (1) each operation starts once per replay, after all operations that it was recorded after. (2) an
//             exception of an operation skips those after it, and poisons the replay's event. (3) a graph never has a
//             cycle.
// Source      subgraphs: Realm; executable graphs whose replays run one after another: CUDA graphs.
#pragma once

#include <stretto/task.hpp>

#include <memory>
#include <tuple>

STRETTO_API_BEGIN

namespace stretto {

/// A handle of an operation of a recorded graph, for after() and make_edge(). Plain data; valid in its graph only.
struct recorded_operation {
  std::uint32_t graph = 0;
  std::uint32_t index = 0;
  friend bool operator==(recorded_operation, recorded_operation) = default;
};

/// An operation that ends when the event does that a replay binds to it: bind(x, event). Without a binding it ends at
/// once.
struct external_precondition : recorded_operation {};
/// An operation that triggers, or poisons, the user event that a replay binds to it: bind(x, user_event).
struct external_postcondition : recorded_operation {};

/// The result of after(a, b, ...) with operations of a recorded graph.
template <std::size_t N>
struct recorded_list {
  std::array<recorded_operation, N> items;  // in the order of the arguments
};
/// The result of after(range) with operations of a recorded graph.
struct recorded_range {
  std::span<const recorded_operation> items;  // valid during the call
};
/// The tag `after(a, b, ...)` or `after(range)` of a recorded operation: in each replay it starts when these have
/// ended.
template <std::derived_from<recorded_operation>... Operation>
  requires(sizeof...(Operation) > 0)
recorded_list<sizeof...(Operation)> after(const Operation&... o) noexcept {
  return {{static_cast<recorded_operation>(o)...}};
}
inline recorded_range after(std::span<const recorded_operation> operations) noexcept { return {operations}; }

/// The event that one replay binds to an external precondition or postcondition. Made by bind().
struct binding {
  recorded_operation port;  // the precondition or postcondition
  event bound;              // the event, or the user event
};
/// Binds an event to an external precondition, or a user event to an external postcondition, for one replay.
inline binding bind(external_precondition p, event e) noexcept { return {p, e}; }
inline binding bind(external_postcondition p, user_event e) noexcept { return {p, e}; }

/// The order of replays of one graph. in_turn: a replay begins when the one before has ended, with or without a
/// failure; a body must then not wait for a later replay of its own graph. overlapping: replays run at the same time,
/// with the same bodies.
enum class replays : std::uint8_t { in_turn, overlapping };

/// The sizes of a recorded graph, and counts of its replays.
struct graph_statistics {
  std::size_t operations = 0;  // recorded operations
  std::size_t edges = 0;       // dependencies between them
  std::uint64_t replays = 0;   // begun so far
  std::size_t under_way = 0;   // replays that have not ended
  std::size_t states = 0;      // sets of counters made: the largest number of replays under way at once
};

namespace detail {

struct graph_core;

/// The body of a recorded operation, and how to call it. The operation ends with the event that it returns.
struct recorded_body {
  std::shared_ptr<void> body;
  event (*run)(void* body, const void* arguments);
  /// Successive operations on one device start and end as one: run_row is called with all of their bodies instead of
  /// run. They may be enqueued behind the event `behind` while that is under way on the device.
  const void* device = nullptr;
  event (*run_row)(std::span<void* const> bodies, event behind) = nullptr;
};
/// Whether an operation runs as a task, or at once on the thread that ends its last predecessor (data operations).
enum class runs : std::uint8_t { as_task, at_once };

/// The request that the tags of a recorded operation fill.
struct recorded_request : placing_request {
  std::span<const recorded_operation> after;

  using placing_request::apply;
  template <std::size_t N>
  void apply(const recorded_list<N>& l) noexcept {
    after = l.items;
  }
  void apply(recorded_range r) noexcept { after = r.items; }
};
template <std::size_t N>
struct subject_of<recorded_list<N>> {
  using type = recorded_range;
};
/// The request of an operation that runs nothing.
struct port_request : recorded_request {
  template <class Tag>
    requires requires(recorded_request request, const Tag& tag) { request.apply(tag); }
  void apply(const Tag& tag) noexcept {
    static_assert(
        !requires(placing_request request) { request.apply(tag); } || std::is_same_v<Tag, task_name>,
        "a postcondition runs nothing that could have a place, a worker or a priority: after(...) and name(\"text\") "
        "alone");
    recorded_request::apply(tag);
  }
};

/// The copy of the arguments of a replay.
struct arguments_type {
  std::size_t bytes, alignment;
  void (*construct)(void* to, const void* from);
  void (*drop)(void* arguments) noexcept;  // null: nothing to do
};

/// The base of every recorded_graph: a counted reference to its compiled part.
class graph_base {
 public:
  graph_base(const graph_base&) = delete;

  /// Adds an edge: `then` also waits for `first`. Throws S20, which lists the operations, if it would close a cycle;
  /// S21 while a replay is under way; S22 for an operation of another graph.
  void make_edge(recorded_operation first, recorded_operation then,
                 std::source_location where = std::source_location::current());

  /// Records an operation that waits for an event of each replay. Throws S21.
  external_precondition add_precondition(task_name name = {},
                                         std::source_location where = std::source_location::current());
  /// Records an operation that triggers a user event of each replay. Tags: after(...), name("text"). Throws S21, S22.
  template <class... A>
  external_postcondition add_postcondition(first_tag<port_request, A...> first, const A&... rest) {
    return behind_tags(
        first.request,
        [&](std::same_as<std::source_location> auto... called) {
          return postcondition(first.request, called_at(first.where, called...));
        },
        rest...);
  }

  /// The present sizes and counts.
  graph_statistics statistics() const;

  /// Records any operation. For recorded_data.hpp and recorded_launch.hpp.
  recorded_operation record(runs how, const char* verb, recorded_body body, const recorded_request& request,
                            const std::source_location& where);

 protected:
  graph_base(std::string_view name, replays overlap, const arguments_type& arguments,
             const std::source_location& where);
  ~graph_base();
  event replay_with(const void* arguments, const preconditions& after, std::span<const binding> bindings,
                    const std::source_location& where);
  external_postcondition postcondition(const recorded_request& request, const std::source_location& where);

 private:
  graph_core* core_;
};

/// Calls a body and converts its result to the event that ends its operation.
template <class Body, class Tuple>
struct recorded_call;
template <class Body, class... Argument>
struct recorded_call<Body, std::tuple<Argument...>> {
  static constexpr bool takes_arguments = std::invocable<Body&, const Argument&...>;
  static_assert(takes_arguments || std::invocable<Body&>,
                "the body of a recorded operation takes the graph's arguments, or nothing");

  static decltype(auto) call(Body& body, const void* arguments) {
    if constexpr (takes_arguments) return std::apply(body, *static_cast<const std::tuple<Argument...>*>(arguments));
    else return body();
  }
  static event run(void* body, const void* arguments) {
    using result = decltype(call(*static_cast<Body*>(body), arguments));
    if constexpr (std::is_convertible_v<result, event>) {
      return call(*static_cast<Body*>(body), arguments);
    } else {
      static_assert(std::is_void_v<result>, "the body of a recorded operation returns nothing, an event or a future");
      call(*static_cast<Body*>(body), arguments);
      return {};
    }
  }
};

}  // namespace detail

/// A graph of operations, recorded once and replayed with new arguments of types Argument. It belongs to the runtime of
/// the thread that makes it, and may be destroyed while replays are under way; these go on.
template <class... Argument>
class recorded_graph : public detail::graph_base {
  using arguments = std::tuple<Argument...>;

 public:
  /// A graph without operations. Throws B20 on a thread of no runtime.
  explicit recorded_graph(task_name name = {}, replays overlap = replays::in_turn,
                          std::source_location where = std::source_location::current())
      : graph_base(name.text, overlap, kept, where) {}
  explicit recorded_graph(replays overlap, std::source_location where = std::source_location::current())
      : recorded_graph(task_name{}, overlap, where) {}

  /// Records a task.
  ///
  ///   tags     any of after(operations...), at(place), on(processor), priority(n), name("text"), before the body
  ///   body     called once per replay, with the replay's arguments or with none; replays share it. If it returns an
  ///            event or a future, its operation ends when that does. A body can thus start a copy or the replay of
  ///            another graph without holding its worker
  ///   throws   S21 while a replay is under way, S22 for an operation of another graph; S02, S03, S04 as async
  template <class F>
  recorded_operation add(F&& body, std::source_location where = std::source_location::current()) {
    return add_with({}, std::forward<F>(body), where);
  }
  template <class... A>
  recorded_operation add(detail::first_tag<detail::recorded_request, A...> first, A&&... rest) {
    return detail::behind_tags(
        first.request,
        [&]<class F>(F&& body, std::same_as<std::source_location> auto... called) {
          return add_with(first.request, std::forward<F>(body), detail::called_at(first.where, called...));
        },
        std::forward<A>(rest)...);
  }

  /// Runs all operations once, in their order.
  ///
  ///   argument   copied in the call
  ///   after      preconditions of the replay; if one is poisoned, every operation is skipped
  ///   bindings   {bind(precondition, event), bind(postcondition, user_event)}, at most one for each
  ///   returns    an event that triggers when all operations have ended; poisoned with the first failure in recording
  ///              order
  ///   throws     S22 for a binding of another graph, S23 on a thread of another runtime
  event replay(const Argument&... argument, const preconditions& after = {}, std::span<const binding> bindings = {},
               std::source_location where = std::source_location::current()) {
    const std::tuple<const Argument&...> given(argument...);
    return replay_with(&given, after, bindings, where);
  }
  event replay(const Argument&... argument, const preconditions& after, std::initializer_list<binding> bindings,
               std::source_location where = std::source_location::current()) {
    const std::tuple<const Argument&...> given(argument...);
    return replay_with(&given, after, {bindings.begin(), bindings.size()}, where);
  }

 private:
  template <class F>
  recorded_operation add_with(const detail::recorded_request& request, F&& body, const std::source_location& where) {
    using Body = std::decay_t<F>;
    return record(detail::runs::as_task, "task",
                  {std::make_shared<Body>(std::forward<F>(body)), detail::recorded_call<Body, arguments>::run}, request,
                  where);
  }

  static constexpr detail::arguments_type kept{
      sizeof...(Argument) ? sizeof(arguments) : 0, alignof(arguments),
      +[](void* to, const void* from) {
        std::apply([to](const Argument&... a) { ::new (to) arguments(a...); },
                   *static_cast<const std::tuple<const Argument&...>*>(from));
      },
      std::is_trivially_destructible_v<arguments>
          ? nullptr
          : +[](void* a) noexcept { static_cast<arguments*>(a)->~arguments(); }};
};

}  // namespace stretto

STRETTO_API_END
