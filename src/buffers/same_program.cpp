#include "buffers/same_program.hpp"

#include "buffers/posted_numbers.hpp"
#include "event/event_floor.hpp"
#include "sched/scheduler.hpp"
#include "sched/work_search.hpp"

namespace stretto::buffers {
namespace {

constexpr const char *tasks_of_others = "what a node has not done", *calls_of_nodes = "what nodes ask of buffers";

/// Where something runs, a second; else until what is on its way has come. Who steps sees all that is.
std::uint64_t patience_in(const base::thread_context& context) {
  const sched::scheduler& s = *static_cast<const sched::thread_state&>(context).owner;
  if (s.settings.stepped) return 0;
  return sched::is_idle_in_poll(s) ? 30'000'000 : 1'000'000'000;
}

/// Whose cause a run tells of.
failure_ref told_failure(const error& e, const char* who) {
  const failure_ref why = detail::make_failure(std::make_exception_ptr(e), who, {});
  why->mark_observed();
  return why;
}

}  // namespace

same_program::same_program(data::other_nodes& others, compares c, std::function<void()> went_wrong)
    : others_(others),
      compares_(c),
      went_wrong_(std::move(went_wrong)),
      agreement_(course_, others.self(), others.nodes(),
                 {.say = [this](std::uint32_t to, std::span<const std::byte> words) { others_.say(to, words); },
                  .differ = [this](const parting& d, base::thread_context& context) { differ(d, context); },
                 .patience_ns = patience_in}) {
  others_.listen(this);
}

same_program::~same_program() { others_.listen(nullptr); }

void same_program::add(std::shared_ptr<const known_call> c, std::uint64_t task, const std::source_location& where) {
  if (differs_.load(std::memory_order_acquire)) {
    const std::scoped_lock lock(lock_);
    throw error(*error_);
  }
  if (task != course::no_task && task >= missing_from_.load(std::memory_order_acquire)) throw *failure();
  if (compares_ == compares::yes) course_.add(std::move(c), task, where);
}

void same_program::end(ended how) {
  if (how == ended::as_it_says && course_.calls() != 0) course_.add(std::make_shared<const known_call>(buffer_call{}), course::no_task, {});
  agreement_.end();
}

void same_program::explain(const std::source_location& where) {
  if (course_.calls() == 0 || differs_.load(std::memory_order_acquire)) return;
  const user_event known = user_event::create(where);
  agreement_.explain([known, where] { known.trigger(where); }, base::require_current("run"));
  wait(known, where);
}

std::optional<error> same_program::fail(std::uint64_t tasks, const std::exception_ptr& why, const std::source_location& where) {
  if (const std::optional<error> of_another = failed_run_in(why)) {
    if (auto known = failure()) return known;
    is_told_.store(true, std::memory_order_relaxed);  // what it has done elsewhere has come here before its own words
    return of_another;
  }
  const failed_run r = failed_run_of(others_.self(), tasks, why, where);
  if (!take(r, base::require_current("run"))) return std::nullopt;
  base::writer w;
  put(w.put(failed_word), r);
  for (std::uint32_t n = 0; n < others_.nodes(); ++n)
    if (n != others_.self()) others_.say(n, w.all());
  return std::nullopt;
}

void same_program::heard(std::uint32_t from, std::span<const std::byte> words, base::thread_context& context) {
  base::reader read(words);
  if (read.get<std::uint64_t>() == failed_word) take(get_failed_run(read), context);
  else agreement_.heard(from, words, context);
}

bool same_program::take(const failed_run& r, base::thread_context& context) {
  const error e = error_of(r);
  {
    const std::scoped_lock lock(lock_);
    if (r.tasks >= missing_from_.load(std::memory_order_relaxed)) return false;
    failed_ = e;
    missing_from_.store(r.tasks, std::memory_order_release);
  }
  others_.fail_posted(first_number_of(r.tasks), told_failure(e, tasks_of_others), context);
  if (went_wrong_) went_wrong_();
  return true;
}

std::optional<error> same_program::failure() {
  const std::scoped_lock lock(lock_);
  if (failed_) is_told_.store(true, std::memory_order_relaxed);
  return failed_;
}

std::optional<error> same_program::take_difference() {
  const std::scoped_lock lock(lock_);
  if (error_) is_told_.store(true, std::memory_order_relaxed);
  return error_;
}

std::optional<error> same_program::untold(std::uint64_t tasks) {
  if (is_told_.load(std::memory_order_relaxed)) return std::nullopt;
  if (auto e = take_difference()) return e;
  return tasks > missing_from_.load(std::memory_order_acquire) ? failure() : std::nullopt;
}

void same_program::end_waits(base::thread_context& context) {
  failure_ref why;
  {
    const std::scoped_lock lock(lock_);
    if (error_) why = told_failure(*error_, calls_of_nodes);
    else if (failed_) why = told_failure(*failed_, tasks_of_others);
  }
  if (why) detail::poison_stuck(context, why);
}

void same_program::differ(const parting& d, base::thread_context& context) {
  const error e = error_of(d);
  {
    const std::scoped_lock lock(lock_);
    error_ = e;
  }
  differs_.store(true, std::memory_order_release);
  // What waits for elements of other nodes would wait for ever.
  others_.fail_posted(0, told_failure(e, calls_of_nodes), context);
  if (went_wrong_) went_wrong_();
}

}  // namespace stretto::buffers
