// attachments.hpp - arrays of this node that are attached to messages, by number, until no node can request their
// elements.
//
// A message contains the number of an array, not its elements. The reader of the message requests the elements from the
// node that wrote it, whichever way the message took. The sender holds the number for as long as a request may come.
//
// Threads     any thread of the runtime. Arrays are destroyed and exported without this lock.
// Memory      a number is valid while something holds it; an export until its lease is dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <source_location>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/context.hpp"
#include "data/instance_record.hpp"
#include "event/failure.hpp"

namespace stretto::data {

class attached_array {
 public:
  virtual ~attached_array() = default;
  /// Calls `then` once the elements of `part` lie in one instance, where they stay while the lease lasts; or with the
  /// failure that prevents it.
  using on_exported = std::function<void(const detail::instance_handle& in, std::shared_ptr<const void> lease,
                                         const failure_ref& cause, base::thread_context& context)>;
  virtual void export_elements(const box& part, const std::source_location& where, on_exported then,
                               base::thread_context& context) = 0;
};

/// The target of incoming elements: an instance, or a function that names one when the elements are about to arrive, so
/// that no memory is used before.
struct destination {
  /// Takes the instance and the events after which it may be written; or the failure because of which nothing is to
  /// come.
  using named = std::function<void(const detail::instance_handle& into, std::span<const event> after,
                                   const failure_ref& cause, base::thread_context& context)>;
  /// Calls `then`, now or later. Called at most once, on any thread of the runtime.
  using asked = std::function<void(named then, base::thread_context& context)>;

  destination(const detail::instance_handle& into, std::span<const event> after)
      : into(into), after(after.begin(), after.end()) {}
  explicit destination(asked when_they_come) : when_they_come(std::move(when_they_come)) {}

  detail::instance_handle into;
  std::vector<event> after;  // the elements are written after these
  asked when_they_come;      // or empty

  void name(named then, base::thread_context& context) const {
    if (when_they_come) when_they_come(std::move(then), context);
    else then(into, after, {}, context);
  }
};

/// An attached array, as its owner or a requester counts; 0: none.
enum class attachment_number : std::uint64_t {};
/// The node that has numbered an array: the one that has it, or one that has requested it.
enum class numbered_by : std::uint8_t { owner, requester };
/// The arrays attached to one message, which its sender keeps until the message was read; 0: none.
enum class kept_attachments : std::uint64_t {};

/// An attached array: the node that has it, and its number.
struct attachment_name {
  std::uint16_t node = 0;
  attachment_number number = {};
  numbered_by by = numbered_by::owner;
};

/// Access to attachments of other nodes; absent if the runtime is the only node.
class remote_attachments {
 public:
  virtual ~remote_attachments() = default;
  /// Copies elements of an attachment to this node. `shift` is added to a coordinate here to find that of the array.
  /// The first part acquires a hold on the array and the last releases it. hold() acquires it before the first part is
  /// fetched.
  struct part_of_fetch {
    bool is_first = false, is_last = false;
    point shift = {};
  };
  virtual event fetch(const attachment_name& what, const box& part, destination to, part_of_fetch which,
                      const std::source_location& where, base::thread_context& context) = 0;
  virtual void hold(const attachment_name& what) = 0;
  virtual void let_go(const attachment_name& what) = 0;
  /// Announces a fetch of elements that a node shares under that number: they are read in the order of such requests
  /// (shared_arrays). The returned name is held until the elements are fetched, or let_go.
  virtual attachment_name request(std::uint16_t node, std::uint64_t shared, const box& part,
                                  const std::source_location& where) = 0;
  /// Keeps `along` alive until that node acknowledges the message; returns what it must acknowledge.
  virtual kept_attachments keep_for(std::uint32_t node, std::vector<std::shared_ptr<const void>>&& along) = 0;
  virtual void acknowledge_message(std::uint32_t sender, kept_attachments message) = 0;
};

/// The operations that the objects floor performs for other nodes and for its own.
class shared_arrays {
 public:
  virtual ~shared_arrays() = default;
  /// Exports elements in the state that all submitted tasks leave them in. A failure is reported by the export.
  virtual std::shared_ptr<attached_array> export_elements(std::uint64_t shared, const box& part,
                                                          const std::source_location& where,
                                                          base::thread_context& context) = 0;
  /// Starts the operation that the bytes encode; this floor encoded them on another node. Starts after `gate`. The
  /// caller drops `kept` once `done` has triggered and its waiters need nothing of it.
  struct placed {
    event done;
    std::shared_ptr<const void> kept = {};
  };
  virtual placed place(std::span<const std::byte> what, event gate, const std::source_location& where,
                       base::thread_context& context) = 0;
};

class attachments : public std::enable_shared_from_this<attachments> {
 public:
  /// The number of the array, from 1, and a hold on it.
  struct added {
    attachment_number number;
    std::shared_ptr<const void> held;
  };
  added add(std::shared_ptr<attached_array> array);
  /// Null if nothing holds the number any more.
  std::shared_ptr<attached_array> find(attachment_number number) const;
  /// Acquires another hold.
  std::shared_ptr<const void> hold(attachment_number number);
  std::size_t size() const;

  remote_attachments* others = nullptr;  // set before threads use it, as
  shared_arrays* shared = nullptr;       // is this

 private:
  struct entry {
    std::shared_ptr<attached_array> array;
    std::weak_ptr<const void> held;
  };
  mutable std::mutex lock_;  // guards what follows
  attachment_number last_{};
  std::unordered_map<attachment_number, entry> all_;
};

}  // namespace stretto::data
