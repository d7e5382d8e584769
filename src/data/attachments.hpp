// enclosures.hpp - arrays of this node that have gone along with messages, by number, until nobody can come for their elements any more.
//
// A message holds the number of an array, not its elements: whoever reads the message asks the node that wrote it for them, whatever way
// the message has taken. Who sends messages holds the numbers for as long as that may happen.
//
// Threads     any thread of the runtime; arrays end, and are lent, behind no lock of this.
// Memory      a number lasts while something holds it; what was lent, until its lease goes.
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
  /// Runs `then` once the elements of `part` lie in one instance, where they stay while the lease lasts; or with why they never will.
  using on_exported = std::function<void(const detail::instance_handle& in, std::shared_ptr<const void> lease, const failure_ref& cause,
                                  base::thread_context& context)>;
  virtual void export_elements(const box& part, const std::source_location& where, on_exported then, base::thread_context& context) = 0;
};

/// Where elements that come are to lie: an instance, or one that is named when they are about to come, so that none takes room before.
struct destination {
  /// Takes the instance, and the events behind which they may come; or why they are to come nowhere.
  using named = std::function<void(const detail::instance_handle& into, std::span<const event> after, const failure_ref& cause,
                                   base::thread_context& context)>;
  /// Runs `then`, now or later. Called once at most, from any thread of the runtime.
  using asked = std::function<void(named then, base::thread_context& context)>;

  destination(const detail::instance_handle& into, std::span<const event> after) : into(into), after(after.begin(), after.end()) {}
  explicit destination(asked when_they_come) : when_they_come(std::move(when_they_come)) {}

  detail::instance_handle into;
  std::vector<event> after;  // they come behind these
  asked when_they_come;      // or empty

  void name(named then, base::thread_context& context) const {
    if (when_they_come) when_they_come(std::move(then), context);
    else then(into, after, {}, context);
  }
};

/// Which array of which node.
struct attachment_name {
  std::uint16_t node = 0;
  std::uint64_t number = 0;
};

/// How other nodes are asked for theirs; absent in a runtime that is alone.
class remote_attachments {
 public:
  virtual ~remote_attachments() = default;
  /// Copies those elements to where they are to lie on this node; `shift`: from a coordinate there to that of the
  /// array. The first of an array takes hold of it, the last lets go; where no first has been asked for yet, hold does.
  struct part_of_fetch {
    bool is_first = false, is_last = false;
    point shift = {};
  };
  virtual event fetch(const attachment_name& what, const box& part, destination to, part_of_fetch which, const std::source_location& where,
                      base::thread_context& context) = 0;
  virtual void hold(const attachment_name& what) = 0;
  virtual void let_go(const attachment_name& what) = 0;
  /// Elements of what a node has shared under that number are to be fetched: read there in the order of who asks so (shared_arrays),
  /// and held under the name that this returns until they are fetched, or let go of.
  virtual attachment_name request(std::uint16_t node, std::uint64_t shared, const box& part, const std::source_location& where) = 0;
  /// What a message to that node names is held until it says that it has read the message, which it knows by the number returned; 0: none.
  virtual std::uint64_t keep_for(std::uint32_t node, std::vector<std::shared_ptr<const void>>&& along) = 0;
  virtual void acknowledge_message(std::uint32_t sender, std::uint64_t message) = 0;
};

/// What the floor of objects does for other nodes, as soon as they ask for it; and for its own node.
class shared_arrays {
 public:
  virtual ~shared_arrays() = default;
  /// Those elements, as all has left them that is submitted by now; or what says why not when it is lent.
  virtual std::shared_ptr<attached_array> export_elements(std::uint64_t shared, const box& part, const std::source_location& where,
                                               base::thread_context& context) = 0;
  /// Begins to do what the bytes ask for, which this floor has written on another node; not before `gate`. `kept` until
  /// whoever waits for `done` needs nothing of it any more.
  struct placed {
    event done;
    std::shared_ptr<const void> kept = {};
  };
  virtual placed place(std::span<const std::byte> what, event gate, const std::source_location& where, base::thread_context& context) = 0;
};

class attachments : public std::enable_shared_from_this<attachments> {
 public:
  /// Its number, from 1, and a hold on it.
  struct added {
    std::uint64_t number;
    std::shared_ptr<const void> held;
  };
  added add(std::shared_ptr<attached_array> array);
  /// Null if nobody holds it any more.
  std::shared_ptr<attached_array> find(std::uint64_t number) const;
  /// The same, with another hold.
  std::shared_ptr<const void> hold(std::uint64_t number);
  std::size_t size() const;

  remote_attachments* others = nullptr;  // set before threads use it, as
  shared_arrays* shared = nullptr;   // this

 private:
  struct entry {
    std::shared_ptr<attached_array> array;
    std::weak_ptr<const void> held;
  };
  mutable std::mutex lock_;  // guards what follows
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, entry> all_;
};

}  // namespace stretto::data
