// match_queues.hpp - the receives that wait for a message, and the messages that wait for a receive, of one receiving
// rank and context.
//
// MPI's rule: a message goes to the oldest receive that matches it, a receive gets the oldest message that it matches.
// So messages of one sender do not overtake each other.
//
// Threads     one at a time; the mailbox locks.
// Cost        without wildcards: one hash value and the entries that share it. A receive with a wildcard walks through
//             the early messages of the context, a message through the receives with wildcards.
// Invariants  (1) no receive waits that matches a message that waits.
#pragma once

#include <cstddef>
#include <memory>

#include "ranks/messages/queue_entry.hpp"

namespace stretto::ranks {

/// Entries without wildcards, hashed by source and tag.
class hashed_entries {
 public:
  void append(queue_entry& e) {
    if (count_ >= 2 * (mask_ + 1)) [[unlikely]]
      grow();
    ++count_;
    bin_of(e.match).append(e);
  }
  void remove(queue_entry& e) {
    --count_;
    bin_of(e.match).remove(e);
  }
  /// The oldest entry with this source and tag; null if there is none.
  queue_entry* find(envelope exact) const {
    if (count_ == 0) return nullptr;
    return first_equal(bins()[hash(exact) & mask_], exact);
  }
  /// The same, and takes it out.
  queue_entry* take(envelope exact) {
    if (count_ == 0) return nullptr;
    bin_list& bin = bin_of(exact);
    queue_entry* const e = first_equal(bin, exact);
    if (!e) return nullptr;
    --count_;
    bin.remove(*e);
    return e;
  }
  std::size_t count() const { return count_; }

 private:
  static constexpr std::size_t first_bins = 4;

  static queue_entry* first_equal(const bin_list& bin, envelope exact) {
    queue_entry* e = bin.first();
    while (e && e->match.source_and_tag() != exact.source_and_tag()) e = bin_list::after(*e);
    return e;
  }
  /// Spreads consecutive sources, and consecutive tags, evenly over the bins.
  static std::size_t hash(envelope e) { return e.source_and_tag() * 0x1'9e37'79b1u >> 32; }
  const bin_list* bins() const { return more_bins_ ? more_bins_.get() : bins_; }
  bin_list& bin_of(envelope e) { return (more_bins_ ? more_bins_.get() : bins_)[hash(e) & mask_]; }
  void grow();

  std::size_t count_ = 0, mask_ = first_bins - 1;
  std::unique_ptr<bin_list[]> more_bins_;
  bin_list bins_[first_bins];
};

class match_queues {
 public:
  explicit match_queues(context_number of) : context(of) {}

  const context_number context;

  /// Queues a receive that matches no message in the queue.
  void add_receive(queue_entry& receive);
  /// Takes the oldest receive that matches the message out of the queue; null if there is none.
  queue_entry* take_receive(envelope message);

  /// Queues a message that no receive in the queue matches.
  void add_message(queue_entry& message);
  /// The oldest message that the pattern matches; null if there is none.
  queue_entry* find_message(envelope pattern) const {
    if (!arrivals_.first()) return nullptr;
    return pattern.has_wildcard() ? find_by_arrival(pattern) : messages_.find(pattern);
  }
  /// The message that was given this number; null if it is no longer in the queue.
  queue_entry* find_numbered(envelope exact, std::uint64_t number) const;

  /// Queues a probe that matches no message in the queue.
  void add_probe(queue_entry& probe);
  bool has_probes() const { return probes_.first() != nullptr; }
  /// Takes the oldest probe that matches the message out of the queue; null if there is none.
  queue_entry* take_probe(envelope message);

  /// Takes an entry out of its queue.
  void remove(queue_entry& e);

  bool is_empty() const {
    return receives_.count() == 0 && messages_.count() == 0 && !wildcard_receives_.first() && !probes_.first();
  }
  bool has_receives() const { return receives_.count() > 0 || wildcard_receives_.first(); }
  queue_entry* first_message() const { return arrivals_.first(); }

 private:
  queue_entry* find_by_arrival(envelope pattern) const;
  queue_entry* take_either_receive(envelope message);
  static queue_entry* first_match(const bin_list& patterns, envelope message);
  static bool is_message(const queue_entry& e) { return e.kind >= entry_kind::early_message; }

  hashed_entries receives_;
  bin_list wildcard_receives_;
  std::uint64_t receives_so_far_ = 0;
  hashed_entries messages_;
  arrival_list arrivals_;
  std::uint64_t messages_so_far_ = 0;
  bin_list probes_;
};

inline queue_entry* match_queues::take_receive(envelope message) {
  queue_entry* const found = wildcard_receives_.first() ? take_either_receive(message) : receives_.take(message);
  if (found) found->in_queue = false;
  return found;
}

inline void match_queues::add_receive(queue_entry& receive) {
  receive.number = receives_so_far_++;
  receive.in_queue = true;
  if (receive.match.has_wildcard()) wildcard_receives_.append(receive);
  else receives_.append(receive);
}

}  // namespace stretto::ranks
