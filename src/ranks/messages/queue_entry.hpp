// queue_entry.hpp - what stands in the queues of a receiving rank: a receive or probe that waits, or a message that has
// come early.
//
// Threads     guarded by the lock of the mailbox to whose queues it belongs.
// Invariants  (1) an entry is in at most one queue, and in_queue says whether it is.
#pragma once

#include <cstdint>

#include "ranks/messages/envelope.hpp"

namespace stretto::ranks {

enum class entry_kind : std::uint8_t {
  receive,
  probe,          // waits until a message comes, which stays in the queue
  matched_probe,  // takes a message out of the queue
  early_message,  // its data has been copied aside
  late_data,      // a message whose data is still where its sender has it, on this node
  remote_data     // a message whose data another node sends once it is asked to
};

struct queue_entry;

struct queue_links {
  queue_entry* next = nullptr;
  queue_entry* previous = nullptr;
};

struct queue_entry {
  queue_links of_bin;  // among entries of the same hash value, or among those with wildcards
  envelope match;
  entry_kind kind;
  bool in_queue = false;
  std::uint64_t number = 0;  // in the order of arrival: of receives, or of messages
  queue_links by_arrival;    // of messages: among all of the context

  queue_entry(entry_kind is, envelope e) : match(e), kind(is) {}
};

/// Entries in order.
template <queue_links queue_entry::*links>
class entry_list {
 public:
  queue_entry* first() const { return first_; }
  static queue_entry* after(const queue_entry& e) { return (e.*links).next; }

  void append(queue_entry& e) {
    (e.*links) = {nullptr, last_};
    (last_ ? (last_->*links).next : first_) = &e;
    last_ = &e;
  }
  void remove(queue_entry& e) {
    const queue_links at = e.*links;
    (at.previous ? (at.previous->*links).next : first_) = at.next;
    (at.next ? (at.next->*links).previous : last_) = at.previous;
  }

 private:
  queue_entry* first_ = nullptr;
  queue_entry* last_ = nullptr;
};

using bin_list = entry_list<&queue_entry::of_bin>;
using arrival_list = entry_list<&queue_entry::by_arrival>;

}  // namespace stretto::ranks
