// message_model.hpp - MPI's rules of matching, interpreted one step after another with plain lists.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "ranks/messages/point_to_point.hpp"

namespace stretto::test {

/// Of one receiving rank.
class message_model {
 public:
  /// A receive or a send. Two operations that are matched know each other.
  struct operation {
    ranks::envelope e;
    std::int64_t bytes = 0;
    bool is_done = false;
    bool is_cancelled = false;
    int partner = -1;
  };

  std::vector<operation> operations;

  int add(ranks::envelope e, std::int64_t bytes) {
    operations.push_back({e, bytes});
    return static_cast<int>(operations.size()) - 1;
  }

  /// Begins the receive `id`, or again if it is persistent.
  void receive(int id) {
    renew(id);
    if (const auto m = oldest_message(at(id).e)) {
      std::erase(messages_, *m);
      match(id, *m);
    } else {
      receives_.push_back(id);
    }
  }
  /// `is_done`: the send is complete although no receive takes its message.
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
  bool has_receive(ranks::envelope message) const {
    return std::ranges::any_of(receives_, [&](int r) { return takes(at(r).e, message); });
  }

  std::optional<int> oldest_message(ranks::envelope pattern) const {
    for (const int m : messages_) {
      if (takes(pattern, at(m).e)) return m;
    }
    return std::nullopt;
  }
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

  std::deque<int> receives_, messages_;
};

}  // namespace stretto::test
