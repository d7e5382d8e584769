#include "buffers/same_program.hpp"

#include "event/event_floor.hpp"

namespace stretto::buffers {

same_program::same_program(data::other_nodes& others)
    : others_(others),
      agreement_(course_, others.self(), others.nodes(),
                 {.say = [this](std::uint32_t to, std::span<const std::byte> words) { others_.say(to, words); },
                  .differ = [this](const parting& d, base::thread_context& context) { differ(d, context); }}) {
  others_.listen(&agreement_);
}

same_program::~same_program() { others_.listen(nullptr); }

void same_program::add(std::shared_ptr<const known_call> c, std::uint64_t task, const std::source_location& where) {
  if (differs_.load(std::memory_order_acquire)) {
    const std::scoped_lock lock(lock_);
    throw error(*error_);
  }
  course_.add(std::move(c), task, where);
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

std::optional<error> same_program::take_difference() {
  const std::scoped_lock lock(lock_);
  if (error_) is_told_.store(true, std::memory_order_relaxed);
  return error_;
}

std::optional<error> same_program::untold_difference() {
  return is_told_.load(std::memory_order_relaxed) ? std::nullopt : take_difference();
}

void same_program::differ(const parting& d, base::thread_context& context) {
  const error e = error_of(d);
  {
    const std::scoped_lock lock(lock_);
    error_ = e;
  }
  differs_.store(true, std::memory_order_release);
  // What waits for elements of other nodes would wait for ever.
  const failure_ref why = detail::make_failure(std::make_exception_ptr(e), "what nodes ask of buffers", {});
  why->mark_observed();  // the run tells of it
  others_.fail_posted(why, context);
}

}  // namespace stretto::buffers
