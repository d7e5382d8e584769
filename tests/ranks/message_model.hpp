// message_model.hpp - MPI's rules of matching, with plain lists: tests compare messages between ranks with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "ranks/messages/point_to_point.hpp"

namespace stretto::test {

/// The receives and messages of one receiving rank. An operation is named by its index in `operations`.
class message_model {
 public:
  /// A receive or a send; `partner` is the operation that it is matched with, -1 if there is none.
  struct operation {
    ranks::envelope e;
    std::int64_t bytes = 0;
    bool is_done = false;
    bool is_cancelled = false;
    int partner = -1;
  };

  std::vector<operation> operations;

  /// Adds an operation that has not begun; returns its index.
  int add(ranks::envelope e, std::int64_t bytes) {
    operations.push_back({e, bytes});
    return static_cast<int>(operations.size()) - 1;
  }

  /// Begins the receive `id`; a persistent one may be begun again.
  void receive(int id) {
    renew(id);
    if (const auto m = oldest_message(at(id).e)) {
      std::erase(messages_, *m);
      match(id, *m);
    } else {
      receives_.push_back(id);
    }
  }
  /// The same for a send. `is_done_early`: it is complete even if no receive waits for its message.
  void send(int id, bool is_done_early) {
    renew(id);
    for (const int r : receives_) {
      if (!takes(at(r).e, at(id).e)) continue;
      std::erase(receives_, r);
      return match(r, id);
    }
    at(id).is_done = is_done_early;
    messages_.push_back(id);
  }
  /// Whether a receive waits for such a message.
  bool has_receive(ranks::envelope message) const {
    return std::ranges::any_of(receives_, [&](int r) { return takes(at(r).e, message); });
  }

  std::optional<int> oldest_message(ranks::envelope pattern) const {
    for (const int m : messages_) {
      if (takes(pattern, at(m).e)) return m;
    }
    return std::nullopt;
  }
  /// A matched probe takes the message.
  void take(int message) { std::erase(messages_, message); }
  void match(int receive, int message) {
    at(receive).is_done = at(message).is_done = true;
    at(receive).partner = message;
    at(message).partner = receive;
  }

  void cancel(int id) {
    if (std::erase(receives_, id) + std::erase(messages_, id) == 0) return;
    at(id).is_done = at(id).is_cancelled = true;
  }

  /// Whether nothing has taken the message.
  bool waits(int message) const { return std::ranges::count(messages_, message) > 0; }

 private:
  static bool takes(ranks::envelope pattern, ranks::envelope message) {
    if (pattern.context() != message.context()) return false;
    if (pattern.source() != message.source() && pattern.source() != ranks::any_source) return false;
    return pattern.tag() == message.tag() || pattern.tag() == ranks::any_tag;
  }
  void renew(int id) {
    at(id).is_done = at(id).is_cancelled = false;
    at(id).partner = -1;
  }
  operation& at(int id) { return operations[static_cast<std::size_t>(id)]; }
  const operation& at(int id) const { return operations[static_cast<std::size_t>(id)]; }

  std::deque<int> receives_, messages_;  // that are not matched, the oldest first
};

}  // namespace stretto::test
