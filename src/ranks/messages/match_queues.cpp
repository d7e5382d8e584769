// match_queues.cpp - wildcards, probes and growth.
#include "ranks/messages/match_queues.hpp"

namespace stretto::ranks {

void hashed_entries::grow() {
  const std::size_t number = 4 * (mask_ + 1);
  auto larger = std::make_unique<bin_list[]>(number);
  for (std::size_t i = 0; i <= mask_; ++i) {
    for (queue_entry* e = bins()[i].first(); e;) {
      queue_entry* const next = bin_list::after(*e);
      larger[hash(e->match) & (number - 1)].append(*e);
      e = next;
    }
  }
  more_bins_ = std::move(larger);
  mask_ = number - 1;
}

queue_entry* match_queues::first_match(const bin_list& patterns, envelope message) {
  queue_entry* e = patterns.first();
  while (e && !matches(e->match, message)) e = bin_list::after(*e);
  return e;
}

/// Of the oldest receive with wildcards and the oldest one without, takes the older one.
queue_entry* match_queues::take_either_receive(envelope message) {
  queue_entry* const other = first_match(wildcard_receives_, message);
  queue_entry* const exact = receives_.find(message);
  if (!other || (exact && exact->number < other->number)) return receives_.take(message);
  wildcard_receives_.remove(*other);
  return other;
}

void match_queues::add_message(queue_entry& message) {
  message.number = messages_so_far_++;
  messages_.append(message);
  arrivals_.append(message);
  message.in_queue = true;
}

queue_entry* match_queues::find_by_arrival(envelope pattern) const {
  queue_entry* e = arrivals_.first();
  while (e && !matches(pattern, e->match)) e = arrival_list::after(*e);
  return e;
}

queue_entry* match_queues::find_numbered(envelope exact, std::uint64_t number) const {
  queue_entry* e = messages_.find(exact);
  while (e && e->number != number) e = bin_list::after(*e);
  return e;
}

void match_queues::add_probe(queue_entry& probe) {
  probes_.append(probe);
  probe.in_queue = true;
}

queue_entry* match_queues::take_probe(envelope message) {
  queue_entry* const found = first_match(probes_, message);
  if (found) remove(*found);
  return found;
}

void match_queues::remove(queue_entry& e) {
  e.in_queue = false;
  if (is_message(e)) {
    messages_.remove(e);
    arrivals_.remove(e);
  } else if (e.kind != entry_kind::receive) {
    probes_.remove(e);
  } else if (e.match.has_wildcard()) {
    wildcard_receives_.remove(e);
  } else {
    receives_.remove(e);
  }
}

}  // namespace stretto::ranks
