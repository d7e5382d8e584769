// request.hpp - an operation of MPI in progress: what a handle of type MPI_Request names.
//
// A request is a completion, so a rank waits for it as a task waits for a task, and it converts to an event.
//
// Threads     the owner's members: one thread at a time. The thread that performs an operation writes the status and
//             then completes the request; the owner reads the status after is_done().
// Cost        making and freeing: a few instructions, no heap once warm.
// Invariants  (1) an inactive request is done. (2) an active one has two references: the owner's and that of the
//             thread that completes it. So the owner may free an active request, and may start a done persistent one
//             again.
#pragma once

#include <cstdint>
#include <memory>
#include <source_location>

#include <stretto/event.hpp>

#include "base/context.hpp"
#include "event/completion.hpp"
#include "ranks/error_class.hpp"
#include "ranks/messages/envelope.hpp"

namespace stretto::ranks {

/// The result of an operation; the default is MPI's empty status.
struct message_status {
  int source = any_source;
  int tag = any_tag;
  error_class error = error_class::success;
  bool is_cancelled = false;
  std::int64_t bytes = 0;          // received
  std::int64_t message_bytes = 0;  // sent: more than received only with error_class::truncate
};

class request;
struct set_watch;
struct wait_targets;

/// The functions of a kind of requests. Null: not possible.
struct request_kind : completion_kind {
  void (*start)(request&) = nullptr;   // of an inactive persistent request
  void (*cancel)(request&) = nullptr;  // of an active one; afterwards it completes in any case
  /// Called by a rank that waits for the request, before it suspends: to do a part of the operation itself.
  void (*help)(request&, const std::source_location&) = nullptr;
  /// For reports of hangs: what an active request waits for.
  void (*add_targets)(const request&, wait_targets&) = nullptr;
  /// Called by the owner of a done request before it reads the status: to write that.
  void (*query)(request&) = nullptr;
};

class request : public completion {
 public:
  explicit request(const request_kind& kind) noexcept : completion(kind, completion::already_done()) {}
  request(const request&) = delete;
  request& operator=(const request&) = delete;
  ~request() {
    if (watch) [[unlikely]]
      drop_watch();
  }

  const request_kind& functions() const { return static_cast<const request_kind&>(*kind); }

  // The owner's.
  bool is_active() const { return is_active_; }
  bool is_persistent() const { return is_persistent_; }
  void make_persistent() { is_persistent_ = true; }
  /// Begins the operation: is_done() is false from now on.
  void activate() noexcept {
    if (is_persistent_) forget_last();
    is_active_ = true;
    restart(2);
  }
  /// The same for an operation that has ended before any other thread could know of it.
  void activate_done() noexcept {
    if (is_persistent_) forget_last();
    is_active_ = true;
  }
  /// Ends the operation for the owner, who has seen it done: the request of a persistent operation becomes inactive.
  void deactivate() noexcept {
    if (is_persistent_) is_active_ = false;
  }

  /// For the thread that performs the operation, once, after it has written `status`.
  void end() noexcept;

  message_status status;
  set_watch* watch = nullptr;  // request_set.cpp: since a rank waited for several requests

 private:
  void drop_watch() noexcept;
  void forget_last() noexcept;

  bool is_active_ = false;
  bool is_persistent_ = false;
};

/// Gives up the owner's reference; an active operation goes on without an owner.
struct request_release {
  void operator()(request* r) const noexcept { r->release(); }
};
using request_owner = std::unique_ptr<request, request_release>;

/// Suspends the calling rank until the request, which is not done, is. It may do a part of the operation before.
void wait_until_done(request& r, const std::source_location& where);
inline void wait_for(request& r, const std::source_location& where = std::source_location::current()) {
  if (!r.is_done()) wait_until_done(r, where);
}

/// An event that triggers when the request is done.
event event_of(request& r, const std::source_location& where = std::source_location::current());

/// The status of a done request, for its owner.
inline const message_status& final_status(request& r) {
  if (r.functions().query) [[unlikely]]
    r.functions().query(r);
  return r.status;
}

/// Throws what the status reports: call_error(truncate) with both lengths.
void throw_error_of(const message_status& status);

/// Makes the calling thread one of the runtime, and returns its context; null: it must not be one. A thread of a
/// program calls it ahead of its first wait or end of an operation.
using thread_joining = base::thread_context* (*)();
void set_thread_joining(thread_joining join) noexcept;

/// The calling thread's context. Threads of no runtime have a common one, which no waiter may need.
base::thread_context& joined_context();
inline base::thread_context& context_of_thread() {
  auto* const context = base::current();
  return context ? *context : joined_context();
}

inline void request::end() noexcept { complete(context_of_thread()); }

}  // namespace stretto::ranks
