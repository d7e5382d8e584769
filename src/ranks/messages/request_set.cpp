// request_set.cpp - one waiter for several requests.
//
// A completion cannot forget a waiter. So a request that is waited for together with others gets one waiter, a
// set_watch, for as long as its operation lasts; it knows which wait, if any, is interested at the moment.
#include "ranks/messages/request_set.hpp"

#include <atomic>
#include <new>
#include <string>

#include <stretto/task.hpp>

#include "base/config.hpp"
#include "base/object_pool.hpp"

namespace stretto::ranks {

namespace {

void keep_set_wait(completion&) noexcept {}
std::string describe_set_wait(const completion&) { return "one of several requests"; }
constexpr request_kind set_wait_kind{{keep_set_wait, describe_set_wait}};

/// A wait of a rank for one of several requests, on its stack.
struct set_wait : request {
  set_wait() : request(set_wait_kind) { activate(); }

  std::atomic<bool> is_over{false};
  std::atomic<std::uint32_t> notified{0};
};

}  // namespace

/// Owned by the request, and by its operation until it has fired.
struct set_watch : waiter {
  static constexpr std::uintptr_t fired = 1;

  std::atomic<std::uintptr_t> interested{0};  // a set_wait, or `fired`
  std::atomic<int> references{2};

  void release() noexcept {
    if (references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    this->~set_watch();
    base::object_pool<sizeof(set_watch)>::free(this);
  }

  static void notify(waiter& link, const failure*, base::thread_context&) noexcept {
    auto& self = static_cast<set_watch&>(link);
    if (const auto word = self.interested.exchange(fired)) {
      auto& wait = *reinterpret_cast<set_wait*>(word);
      if (!wait.is_over.exchange(true)) wait.end();
      wait.notified.fetch_add(1, std::memory_order_release);  // afterwards the wait may be destroyed
    }
    self.release();
  }
};

void request::drop_watch() noexcept {
  watch->release();
  watch = nullptr;
}

namespace {

/// False if the request is done.
bool add_interest(request& r, set_wait& wait) {
  if (!r.watch) {
    r.watch = new (base::object_pool<sizeof(set_watch)>::allocate()) set_watch;
    r.watch->fire = set_watch::notify;
    r.watch->interested.store(reinterpret_cast<std::uintptr_t>(&wait), std::memory_order_relaxed);
    if (r.subscribe(*r.watch)) return true;
    r.watch->release();  // for the operation
    return false;
  }
  std::uintptr_t nobody = 0;
  return r.watch->interested.compare_exchange_strong(nobody, reinterpret_cast<std::uintptr_t>(&wait));
}

/// False if the request has notified the wait, or is about to.
bool remove_interest(request& r, set_wait& wait) {
  auto word = reinterpret_cast<std::uintptr_t>(&wait);
  return r.watch->interested.compare_exchange_strong(word, 0);
}

/// Ends a done request for its owner, who has read the status.
void finish(request*& r) {
  if (r->is_persistent()) r->deactivate();
  else std::exchange(r, no_request())->release();
}

message_status taken(request*& r) {
  const message_status status = final_status(*r);
  finish(r);
  return status;
}

}  // namespace

void wait_until_any(std::span<request*> requests, const std::source_location& where) {
  set_wait wait_of_all;
  context_of_thread();
  std::size_t end = 0, others = 0;
  bool is_one_done = false;
  for (; end < requests.size() && !is_one_done; ++end) {
    if (!is_active(requests[end])) continue;
    ++others;
    is_one_done = requests[end]->is_done() || !add_interest(*requests[end], wait_of_all);
    if (is_one_done) break;
  }
  if (!is_one_done && others) wait(dependency(wait_of_all), where);
  std::uint32_t notifying = 0;
  for (std::size_t i = 0; i < end; ++i) {
    if (is_active(requests[i]) && !remove_interest(*requests[i], wait_of_all)) ++notifying;
  }
  while (wait_of_all.notified.load(std::memory_order_acquire) != notifying) base::relax();
}

message_status wait_one(request*& r, const std::source_location& where) {
  if (!is_active(r)) return {};
  wait_for(*r, where);
  return taken(r);
}

std::optional<message_status> test_one(request*& r) {
  if (!is_active(r)) return message_status();
  if (!r->is_done()) return std::nullopt;
  return taken(r);
}

std::optional<message_status> status_of_done(request* r) {
  if (!is_active(r)) return message_status();
  if (!r->is_done()) return std::nullopt;
  return final_status(*r);
}

bool wait_all(std::span<request*> requests, status_list statuses, const std::source_location& where) {
  bool all_well = true;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    request*& r = requests[i];
    if (!is_active(r)) {
      if (!statuses.empty()) statuses[i] = {};
      continue;
    }
    wait_for(*r, where);
    const message_status& status = final_status(*r);
    all_well &= status.error == error_class::success;
    if (!statuses.empty()) statuses[i] = status;
    finish(r);
  }
  return all_well;
}

std::optional<bool> test_all(std::span<request*> requests, status_list statuses) {
  for (const request* r : requests) {
    if (is_active(r) && !r->is_done()) return std::nullopt;
  }
  return wait_all(requests, statuses);
}

std::optional<completed_request> test_any(std::span<request*> requests) {
  bool any_active = false;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!is_active(requests[i])) continue;
    any_active = true;
    if (requests[i]->is_done()) return completed_request{i, taken(requests[i])};
  }
  if (any_active) return std::nullopt;
  return completed_request();
}

completed_request wait_any(std::span<request*> requests, const std::source_location& where) {
  for (;;) {
    if (const auto done = test_any(requests)) return *done;
    wait_until_any(requests, where);
  }
}

completed_count test_some(std::span<request*> requests, std::span<int> indices, status_list statuses) {
  completed_count result;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!is_active(requests[i])) continue;
    result.any_active = true;
    if (!requests[i]->is_done()) continue;
    const message_status status = taken(requests[i]);
    result.all_well &= status.error == error_class::success;
    indices[result.count] = static_cast<int>(i);
    if (!statuses.empty()) statuses[result.count] = status;
    ++result.count;
  }
  return result;
}

completed_count wait_some(std::span<request*> requests, std::span<int> indices, status_list statuses,
                          const std::source_location& where) {
  for (;;) {
    const completed_count done = test_some(requests, indices, statuses);
    if (done.count || !done.any_active) return done;
    wait_until_any(requests, where);
  }
}

}  // namespace stretto::ranks
