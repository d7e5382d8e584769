// request.cpp - waits for requests, and errors of what they report.
#include "ranks/messages/request.hpp"

#include <atomic>
#include <string>

#include "base/context.hpp"
#include "event/event_floor.hpp"
#include "ranks/call_error.hpp"
#include "ranks/messages/wait_targets.hpp"
#include "sched/waiting.hpp"

namespace stretto::ranks {

namespace {

std::atomic<thread_joining> join_of_threads = nullptr;

}  // namespace

void set_thread_joining(thread_joining join) noexcept { join_of_threads.store(join, std::memory_order_relaxed); }

base::thread_context& joined_context() {
  static base::thread_context of_other_threads;
  const auto join = join_of_threads.load(std::memory_order_relaxed);
  auto* const context = join ? join() : nullptr;
  return context ? *context : of_other_threads;
}

/// Of the last operation of a persistent request.
void request::forget_last() noexcept {
  if (watch) drop_watch();
  status = {};
}

void wait_until_done(request& r, const std::source_location& where) {
  context_of_thread();
  if (r.functions().help) r.functions().help(r, where);
  sched::wait_for_operation(r, where);
}

void add_targets(const request& of, wait_targets& to) {
  if (of.is_active() && !of.is_done() && of.functions().add_targets) of.functions().add_targets(of, to);
}

event event_of(request& r, const std::source_location& where) {
  if (r.is_done()) return {};
  return detail::event_of(r, base::require_current("event_of"), where);
}

void throw_error_of(const message_status& status) {
  if (status.error == error_class::success) return;
  if (status.error != error_class::truncate) throw call_error(status.error, std::string(text_of(status.error)));
  throw call_error(error_class::truncate, "the message from rank " + std::to_string(status.source) + " with tag " +
                                              std::to_string(status.tag) + " has " +
                                              std::to_string(status.message_bytes) + " bytes, the receive buffer " +
                                              std::to_string(status.bytes));
}

}  // namespace stretto::ranks
