// task.hpp - async: host code that runs when its preconditions have ended, where it is told, and may suspend.
//
// Threads     any thread that belongs to a runtime: workers, and threads with an attachment.
// Memory      what happened before async() is visible in the body; what the body did, after its future is ready.
// Cost        an ignored or immediately awaited empty task: about 15 ns; no heap allocation once warm, no lock.
// Invariants  (1) a body runs exactly once, or is skipped because a precondition is poisoned. (2) what a body
//             throws poisons its future; nothing is lost. (3) a task that never waits never owns a stack.
#pragma once

#include <stretto/future.hpp>
#include <stretto/place.hpp>

STRETTO_API_BEGIN

namespace stretto {

class barrier;

/// The tag `at(place)`: spawn there; it may be stolen along steal paths.
struct at_place {
  place where;
};
inline at_place at(place where) noexcept { return {where}; }

/// The tag `at_node(2)`: on that node of the job. With `at(place)` beside it, at a place of that node.
struct at_node {
  std::uint32_t index;
  explicit constexpr at_node(std::uint32_t n) noexcept : index(n) {}
};

/// The tag `on(processor)`: run on a worker whose home it is, and nowhere else, also after suspensions.
struct on_processor {
  place where;
};
inline on_processor on(place processor) noexcept { return {processor}; }
/// The tag `on(worker(i))`.
struct worker_number {
  std::uint32_t index;
};
inline worker_number worker(std::uint32_t index) noexcept { return {index}; }
struct on_worker {
  worker_number which;
};
inline on_worker on(worker_number w) noexcept { return {w}; }

/// The tag `priority(n)`: among ready tasks of one worker, higher first; 0 is usual, -128 to 127.
struct task_priority {
  int value;
};
inline task_priority priority(int value) noexcept { return {value}; }

/// The tag `name("halo")`: shown in errors, traces and hang reports; copied if not a literal of the program.
struct task_name {
  std::string_view text;
};
inline task_name name(std::string_view text) noexcept { return {text}; }

/// The tag `profile(into)`: when the operation is over, `into` is ready with what it did and when (profile.hpp).
struct operation_profile;
struct profile_into {
  future<operation_profile>* into;
};
inline profile_into profile(future<operation_profile>& into) noexcept { return {&into}; }

/// What an operation waits for: made of `after(...)`, or nothing; and who wants its profile:
/// {after(...), profile(into)}.
class preconditions {
 public:
  constexpr preconditions() noexcept = default;
  template <std::size_t N>
  preconditions(const after_list<N>& list) noexcept : dependencies(list.items) {}
  preconditions(after_range range) noexcept : events(range.items) {}
  preconditions(profile_into p) noexcept : profile(p.into) {}
  template <std::size_t N>
  preconditions(const after_list<N>& list, profile_into p) noexcept : dependencies(list.items), profile(p.into) {}
  preconditions(after_range range, profile_into p) noexcept : events(range.items), profile(p.into) {}

  bool is_empty() const noexcept { return dependencies.empty() && events.empty(); }

  std::span<const dependency> dependencies;  // one of the two is empty
  std::span<const event> events;
  future<operation_profile>* profile = nullptr;
};

namespace detail {

/// Where a task goes, how urgent it is and what it is called, as its tags say.
struct placing_request {
  place at;
  place on;
  std::uint32_t worker = 0xffffffffu;
  int priority = 0;
  std::string_view name;

  void apply(at_place p) noexcept { at = p.where; }
  void apply(on_processor p) noexcept { on = p.where; }
  void apply(on_worker w) noexcept { worker = w.which.index; }
  void apply(task_priority p) noexcept { priority = p.value; }
  void apply(task_name n) noexcept { name = n.text; }
};

/// All that the tags of one async said.
struct task_request : placing_request {
  std::span<const dependency> after;
  std::span<const event> after_events;
  future<operation_profile>* profile = nullptr;

  using placing_request::apply;
  void apply(std::span<const dependency> d) noexcept { after = d; }
  void apply(after_range r) noexcept { after_events = r.items; }
  void apply(profile_into p) noexcept { profile = p.into; }
};

/// What a tag speaks of. Of two tags with one subject, one would be ignored.
template <class Tag>
struct subject_of {
  using type = Tag;
};
template <std::size_t N>
struct subject_of<after_list<N>> {
  using type = after_range;
};
template <>
struct subject_of<std::span<const dependency>> {
  using type = after_range;
};
template <>
struct subject_of<on_processor> {
  using type = at_place;
};
template <>
struct subject_of<on_worker> {
  using type = at_place;
};
/// Such tags add to one another.
template <class Tag>
inline constexpr bool may_repeat = false;

template <class Tag, class... All>
inline constexpr std::size_t times_named =
    (std::size_t{0} + ... +
     std::size_t{std::is_same_v<typename subject_of<Tag>::type, typename subject_of<All>::type>});

/// What the tags of one call say together.
template <class Request, class... Tag>
Request request_of(const Tag&... tag) {
  static_assert(((may_repeat<Tag> || times_named<Tag, Tag...> == 1) && ...),
                "two tags of this call say the same kind of thing, and one would be ignored: name all events in one "
                "after(...), and one place "
                "or worker in one at(...) or on(...)");
  Request request;
  (request.apply(tag), ...);
  return request;
}

template <class Tag>
concept task_tag = requires(task_request request, const Tag& tag) { request.apply(tag); };

/// A record whose body is not yet there, and the thread state that made it.
struct new_task {
  completion* record;
  void* thread;
};
/// `bytes` of storage for body or value. Throws B20 on a foreign thread, what `request` misnames as S0x.
new_task make_task(std::size_t bytes, const task_type& type, const std::source_location& where);
new_task make_task(std::size_t bytes, const task_type& type, const std::source_location& where,
                   const task_request& request);
/// Hands it to the scheduler: ready now, or when what it waits for has ended. `thread` null: look it up again.
void submit(completion& record, void* thread) noexcept;
void submit(completion& record, const task_request& request);
/// The body could not be constructed.
void abandon(completion& record) noexcept;

/// Body of a task of the library's that others rely on: it cannot be cancelled.
template <class F>
struct goes_on {
  F body;
  decltype(auto) operator()() { return body(); }
};
template <class F>
goes_on(F) -> goes_on<F>;
template <class Body>
inline constexpr bool may_be_cancelled = true;
template <class F>
inline constexpr bool may_be_cancelled<goes_on<F>> = false;

template <class Body>
struct task_of {
  using result = std::invoke_result_t<Body&>;
  static_assert(!std::is_reference_v<result>, "a task's body returns a value or void; return a pointer instead");
  static constexpr std::size_t bytes = sizeof(Body) > value_bytes<result> ? sizeof(Body) : value_bytes<result>;

  struct drop_body {
    Body& body;
    ~drop_body() { body.~Body(); }
  };
  static void run(void* storage) {
    Body& body = *std::launder(static_cast<Body*>(storage));
    if constexpr (std::is_void_v<result>) {
      drop_body drop{body};
      body();
    } else {
      result value = [&] {
        drop_body drop{body};
        return body();
      }();
      ::new (storage) result(std::move(value));
    }
  }
  static constexpr task_type type{
      task_kind,
      run,
      std::is_trivially_destructible_v<Body> ? nullptr
                                             : +[](void* s) noexcept { std::launder(static_cast<Body*>(s))->~Body(); },
      value_type<result>.drop_value,
      storage_alignment<Body> > storage_alignment<result> ? storage_alignment<Body> : storage_alignment<result>,
      may_be_cancelled<Body>};
  static_assert(type.alignment <= most_alignment, "a task's captures and its result are aligned to at most 4096 bytes");
};

template <class Body, class Argument>
void construct_body(completion& record, Argument&& body) {
  if constexpr (std::is_nothrow_constructible_v<Body, Argument>) {
    ::new (storage_of(record)) Body(std::forward<Argument>(body));
  } else {
    try {
      ::new (storage_of(record)) Body(std::forward<Argument>(body));
    } catch (...) {
      abandon(record);
      throw;
    }
  }
}

template <class F>
concept task_body = std::invocable<std::decay_t<F>&> && !task_tag<std::decay_t<F>>;

template <task_body F>
auto spawn(F&& body, const std::source_location& where) {
  using Body = std::decay_t<F>;
  using Task = task_of<Body>;
  const new_task made = make_task(Task::bytes, Task::type, where);
  construct_body<Body>(*made.record, std::forward<F>(body));
  submit(*made.record, std::is_nothrow_constructible_v<Body, F> ? made.thread : nullptr);
  return future_access::make<typename Task::result>(*made.record);
}

template <task_body F>
auto spawn_as(const task_request& request, F&& body, const std::source_location& where) {
  using Body = std::decay_t<F>;
  using Task = task_of<Body>;
  const new_task made = make_task(Task::bytes, Task::type, where, request);
  construct_body<Body>(*made.record, std::forward<F>(body));
  auto result = future_access::make<typename Task::result>(*made.record);
  submit(*made.record, request);
  return result;
}

template <task_body F, task_tag... Tag>
auto spawn_with(F&& body, const std::source_location& where, const Tag&... tag) {
  return spawn_as(request_of<task_request>(tag...), std::forward<F>(body), where);
}

}  // namespace detail

/// Runs `body` as a task and returns the future of what it returns.
///
///   tags     up to four of after(...), at(place), on(processor) or on(worker(i)), priority(n), name("text"),
///            profile(into), in any order, before the body. Two that say the same kind of thing, as at and on do, do
///            not compile
///   throws   B20 on a thread of no runtime; S02 for a place that no worker's paths reach; S03 for a worker or
///            processor that does not exist
///   cost     15 ns; 5 to 10 more per precondition that has not ended
///
///     auto a = async([] { return 1; });
///     auto b = async(after(a), name("double"), [a] { return 2 * a.get(); });
template <detail::task_body F>
auto async(F&& body, std::source_location where = std::source_location::current()) {
  return detail::spawn(std::forward<F>(body), where);
}
template <detail::task_tag T1, detail::task_body F>
auto async(const T1& t1, F&& body, std::source_location where = std::source_location::current()) {
  return detail::spawn_with(std::forward<F>(body), where, t1);
}
template <detail::task_tag T1, detail::task_tag T2, detail::task_body F>
auto async(const T1& t1, const T2& t2, F&& body, std::source_location where = std::source_location::current()) {
  return detail::spawn_with(std::forward<F>(body), where, t1, t2);
}
template <detail::task_tag T1, detail::task_tag T2, detail::task_tag T3, detail::task_body F>
auto async(const T1& t1, const T2& t2, const T3& t3, F&& body,
           std::source_location where = std::source_location::current()) {
  return detail::spawn_with(std::forward<F>(body), where, t1, t2, t3);
}
template <detail::task_tag T1, detail::task_tag T2, detail::task_tag T3, detail::task_tag T4, detail::task_body F>
auto async(const T1& t1, const T2& t2, const T3& t3, const T4& t4, F&& body,
           std::source_location where = std::source_location::current()) {
  return detail::spawn_with(std::forward<F>(body), where, t1, t2, t3, t4);
}

/// Suspends the calling task, never its worker, until the event or task has ended; throws its failure. The only
/// waiting there is. A thread that is no worker blocks.
void wait(const dependency& d, std::source_location where = std::source_location::current());
/// The same for a barrier's phase. Cost: two loads if it has happened; no event slot if it is about to.
void wait(const barrier& b, std::source_location where = std::source_location::current());

/// Lets other ready tasks of this worker go first. It goes on after at most 64 of them for each yielded or bound task
/// that is ahead of it, also where more keep coming.
void yield(std::source_location where = std::source_location::current());

/// True while the caller's worker has nothing queued that others could take: the moment to spawn a part of one's own
/// work. A long search or loop that asks now and then makes as many tasks as there are idle workers, and no more.
///
///   returns  false on a thread that is no worker
///   cost     a call and three loads
///   source   Tzannes, Caragea, Barua, Vishkin: "Lazy binary-splitting", PPoPP 2010
///
///     while (!stack.empty()) {
///       expand(stack);                                     // a depth-first search, with a stack of its own
///       if (stack.size() > 1 && should_split())
///         async([older = take_older_half(stack)] { search(older); });
///     }
bool should_split() noexcept;

/// Happens when all have; poisoned, once all have ended, with the first poisoned one's cause.
template <class... T>
future<void> when_all(const future<T>&... futures);
/// The index of the first that succeeded; poisoned only if all are. `events` is not empty (S05).
future<std::size_t> when_any(std::span<const dependency> events,
                             std::source_location where = std::source_location::current());
template <class... T>
future<std::size_t> when_any(const future<T>&... futures) {
  const std::array<dependency, sizeof...(T)> given{static_cast<dependency>(futures)...};
  return when_any(std::span<const dependency>(given));
}
template <class... T>
future<void> when_all(const future<T>&... futures) {
  return async(after(futures...), [] {});
}

/// Which worker runs the caller, if one does.
std::uint32_t this_worker();

}  // namespace stretto

STRETTO_API_END
