// recorded_graph.hpp - a set of operations and their order, written down once and replayed many times.
//
// Threads     recording: one thread at a time, while no replay is under way. replay: any thread of the runtime.
// Memory      what happened before replay() is visible to its operations; what they did, after its event.
// Cost        a replayed task costs less than an async with the same preconditions: no record is made, no list of
//             waiters, no dependency is looked at twice; an operation with one predecessor needs no counter. Once as
//             many replays as ever overlap have been made, replaying allocates nothing.
// Invariants  (1) each operation starts once per replay, after all that it was recorded after. (2) what an operation
//             throws skips what comes after it, and poisons the replay's event. (3) a graph never has a cycle.
// Source      subgraphs: Realm; executable graphs that replay on themselves in turn: CUDA graphs.
#pragma once

#include <stretto/task.hpp>

#include <memory>
#include <tuple>

STRETTO_API_BEGIN

namespace stretto {

/// An operation of a recorded graph, for after() and make_edge(). Plain data; means nothing to another graph.
struct recorded_operation {
  std::uint32_t graph = 0;
  std::uint32_t index = 0;
  friend bool operator==(recorded_operation, recorded_operation) = default;
};

/// An operation that ends when an event does which each replay brings along: bind(x, event). Nothing bound: at once.
struct external_precondition : recorded_operation {};
/// An operation that triggers the user event which a replay brings along, or poisons it: bind(x, user_event).
struct external_postcondition : recorded_operation {};

/// The tag `after(a, b, ...)` or `after(range)` inside a graph: starts when those operations have ended.
template <std::size_t N>
struct recorded_list {
  std::array<recorded_operation, N> items;
};
/// What after(...) makes of a range of recorded operations.
struct recorded_range {
  std::span<const recorded_operation> items;
};
/// The tag `after(a, b, ...)` within a recorded graph: the operation starts only when these have ended.
template <std::derived_from<recorded_operation>... Operation>
  requires(sizeof...(Operation) > 0)
recorded_list<sizeof...(Operation)> after(const Operation&... o) noexcept {
  return {{static_cast<recorded_operation>(o)...}};
}
inline recorded_range after(std::span<const recorded_operation> operations) noexcept { return {operations}; }

/// For one replay: what an external precondition waits for, or what an external postcondition triggers.
struct binding {
  recorded_operation port;
  event bound;
};
/// What an external precondition waits for, or an external postcondition triggers, in one replay.
inline binding bind(external_precondition p, event e) noexcept { return {p, e}; }
inline binding bind(external_postcondition p, user_event e) noexcept { return {p, e}; }

/// What a replay does that is called before the one before it has ended: it begins after that one's end, however it
/// ended; or it runs beside it, on counters of its own but with the same bodies. In turn, a body must not wait for a
/// later replay of its own graph: that would wait for the body.
enum class replays : std::uint8_t { in_turn, overlapping };

/// Sizes of a recorded graph, and how often it was replayed.
struct graph_statistics {
  std::size_t operations = 0;
  std::size_t edges = 0;
  std::uint64_t replays = 0;  // begun so far
  std::size_t under_way = 0;  // not ended yet
  std::size_t states = 0;     // sets of counters ever made: the most replays that were under way at once
};

namespace detail {

struct graph_core;

/// The body of a recorded operation, and how it is called: what it returns is the event that the operation ends with.
struct recorded_body {
  std::shared_ptr<void> body;
  event (*run)(void* body, const void* arguments);
  /// Operations that follow one another, with nothing between them, and go to the same device, are started and ended as
  /// one: `run_row` is called with the bodies of all in place of `run`. They may start behind `behind` when that is
  /// under way there.
  const void* device = nullptr;
  event (*run_row)(std::span<void* const> bodies, event behind) = nullptr;
};
/// What may run where the last predecessor ended: data operations. Everything else is a task.
enum class runs : std::uint8_t { as_task, at_once };

/// What the tags of one recorded operation say.
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
/// Of an operation that runs nothing.
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

/// How a graph's arguments are kept for one replay.
struct arguments_type {
  std::size_t bytes, alignment;
  void (*construct)(void* to, const void* from);
  void (*drop)(void* arguments) noexcept;  // null: nothing to do
};

/// The counted reference behind every recorded_graph.
class graph_base {
 public:
  graph_base(const graph_base&) = delete;

  /// `then` also waits for `first`. Throws S20, with the operations on it, if that would close a cycle; S21 while a
  /// replay is under way; S22 for an operation of another graph.
  void make_edge(recorded_operation first, recorded_operation then,
                 std::source_location where = std::source_location::current());

  external_precondition add_precondition(task_name name = {},
                                         std::source_location where = std::source_location::current());
  template <class... A>
  external_postcondition add_postcondition(first_tag<port_request, A...> first, const A&... rest) {
    return behind_tags(
        first.request,
        [&](std::same_as<std::source_location> auto... called) {
          return postcondition(first.request, called_at(first.where, called...));
        },
        rest...);
  }

  graph_statistics statistics() const;

  /// For data operations: see recorded_data.hpp.
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

/// What a body returned, as the event that its operation ends with.
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

/// Operations in their order, recorded once. A graph belongs to the runtime of the thread that makes it.
///
///     recorded_graph<int> g(name("relax"));                       // each replay is given an int
///     auto left  = g.add(name("left"),  [&](int step) { relax(0, step); });
///     auto right = g.add(name("right"), [&](int step) { relax(1, step); });
///     g.add(after(left, right), [&] { swap(); });
///     event done;
///     for (int step = 0; step < 100; ++step) done = g.replay(step, after(done));
///
/// The graph may go while replays are under way; they end all the same.
template <class... Argument>
class recorded_graph : public detail::graph_base {
  using arguments = std::tuple<Argument...>;

 public:
  explicit recorded_graph(task_name name = {}, replays overlap = replays::in_turn,
                          std::source_location where = std::source_location::current())
      : graph_base(name.text, overlap, kept, where) {}
  explicit recorded_graph(replays overlap, std::source_location where = std::source_location::current())
      : recorded_graph(task_name{}, overlap, where) {}

  /// Records a task.
  ///
  ///   tags     any of after(operations...), at(place), on(processor), priority(n), name("text"), before the body
  ///   body     called once per replay, with the replay's arguments or with none; several replays share it. If it
  ///            returns an event or a future, its operation ends when that does: so a body can start what takes time,
  ///            a copy or the replay of another graph, and give its worker back.
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
  ///   argument   copied; bodies see them as they are now
  ///   after      what must have ended first; poisoned, every operation is skipped
  ///   bindings   {bind(precondition, event), bind(postcondition, user_event)}, at most one for each
  ///   returns    happens when all operations have ended; poisoned with the first failure, in recording order
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
