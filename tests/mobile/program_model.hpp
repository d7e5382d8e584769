// program_model.hpp - objects that log their messages, and the messages that each node has sent: the serial model of
// random programs.
//
// Each node numbers its messages to each object. For each behaviour of the network and each path of the object, its
// book must show the numbers of each node from 0 on, each once, in order.
#pragma once

#include <doctest/doctest.h>

#include <stretto/collection.hpp>
#include <stretto/job.hpp>
#include <stretto/mobile.hpp>
#include <stretto/runtime.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stretto::test {

struct line {
  std::uint32_t sender, number;
  friend auto operator<=>(const line&, const line&) = default;
};
inline constexpr std::uint32_t by_broadcast = 1000;  // added to the sender
/// in place of a sender: a message that waited for an event has no number
inline constexpr std::uint32_t without_order = ~0u;

struct book {
  std::uint32_t which = 0;
  std::vector<line> lines;
  std::string weight;  // of some books: too large for one network message
  bool is_written = false;
  std::uint32_t readers = 0;
  bool cannot_be_packed = false;

  book() = default;
  book(std::uint32_t w, std::string more) : which(w), weight(std::move(more)) {}
  template <class Archive>
  friend void fields(Archive& a, archived<book, Archive>& b) {
    if (b.cannot_be_packed) throw std::runtime_error("cannot be packed");
    a(b.which, b.lines, b.weight);
  }
};

/// The messages of all nodes, in the order of each node.
class model {
 public:
  explicit model(std::uint32_t nodes) : next_(nodes) {
    for (auto& n : next_) n = std::make_unique<sent>();
  }
  /// Calls send(number) while no other thread of that node sends to that object.
  template <class F>
  auto in_order(std::uint32_t node, std::uint32_t object, F&& send) {
    sent& s = *next_[node];
    const std::scoped_lock lock(s.lock);
    ++total_;
    return send(s.by_object[object]++);
  }
  std::uint32_t sent_by(std::uint32_t node, std::uint32_t object) {
    const std::scoped_lock lock(next_[node]->lock);
    return next_[node]->by_object[object];
  }
  /// Broadcasts.
  std::uint32_t next_broadcast_of(std::uint32_t node) {
    sent& s = *next_[node];
    const std::scoped_lock lock(s.lock);
    total_ += static_cast<std::uint32_t>(objects.size());
    return s.broadcasts++;
  }
  std::uint32_t broadcasts_of(std::uint32_t node) {
    const std::scoped_lock lock(next_[node]->lock);
    return next_[node]->broadcasts;
  }
  std::uint32_t sent_by_all() const { return total_ + without_order; }
  std::atomic<std::uint32_t> handled{0};
  std::atomic<std::uint32_t> without_order{0};
  collection<book> as_one;            // in some programs: all objects
  std::vector<mobile<book>> objects;  // complete before the first message
  std::atomic<int> disturbed{0};      // handlers that overlapped with a writer

 private:
  struct sent {
    std::mutex lock;
    std::map<std::uint32_t, std::uint32_t> by_object;
    std::uint32_t broadcasts = 0;
  };
  std::vector<std::unique_ptr<sent>> next_;
  std::atomic<std::uint32_t> total_{0};
};
inline model* of_all = nullptr;  // for the handlers, on all nodes

struct hop {
  std::uint32_t to, left;
};

/// Handlers. A writer that yields tests that it runs alone.
inline void write_down(book& b, line l, std::uint32_t yields) {
  if (b.is_written || b.readers) ++of_all->disturbed;
  b.is_written = true;
  for (; yields; --yields) yield();
  b.lines.push_back(l);
  ++of_all->handled;
  b.is_written = false;
}
inline std::size_t look(const book& b, std::uint32_t yields) {
  auto& seen = const_cast<book&>(b);
  if (b.is_written) ++of_all->disturbed;
  std::atomic_ref(seen.readers).fetch_add(1);
  for (; yields; --yields) yield();
  if (b.is_written) ++of_all->disturbed;
  std::atomic_ref(seen.readers).fetch_sub(1);
  return b.lines.size();
}
inline std::vector<line> read_all(const book& b) { return b.lines; }

inline future<void> send_line(std::uint32_t to, std::uint32_t yields = 0) {
  const std::uint32_t me = this_node();
  return of_all->in_order(me, to, [&](std::uint32_t number) {
    return send(of_all->objects[to], call<&write_down>(line{me, number}, yields));
  });
}
/// Logs the message, and sends to the next object.
inline void pass_on(book& b, line l, hop h) {
  write_down(b, l, 0);
  if (!h.left) return;
  const std::uint32_t me = this_node(), next = h.to;
  const hop more{static_cast<std::uint32_t>((h.to * 7 + 3) % of_all->objects.size()), h.left - 1};
  of_all->in_order(me, next, [&](std::uint32_t number) {
    return send(of_all->objects[next], call<&pass_on>(line{me, number}, more));
  });
}
inline future<void> send_chain(std::uint32_t to, std::uint32_t length) {
  const std::uint32_t me = this_node();
  const hop more{static_cast<std::uint32_t>((to * 5 + 1) % of_all->objects.size()), length};
  return of_all->in_order(
      me, to, [&](std::uint32_t number) { return send(of_all->objects[to], call<&pass_on>(line{me, number}, more)); });
}
inline future<void> send_after(event e, std::uint32_t to) {
  return send(after(e), of_all->objects[to], call<&write_down>(line{without_order, of_all->without_order++}, 0u));
}

inline std::uint32_t which_of(const book& b) { return b.which; }
inline future<void> send_to_all() {
  const std::uint32_t me = this_node();
  return broadcast(of_all->as_one, call<&write_down>(line{me + by_broadcast, of_all->next_broadcast_of(me)}, 0u));
}
/// The indices, in the order of a reduction.
inline future<std::vector<std::uint32_t>> indices_of_all() {
  return reduce(of_all->as_one, call<&which_of>(), std::vector<std::uint32_t>(),
                [](std::vector<std::uint32_t> all, std::uint32_t one) {
                  all.push_back(one);
                  return all;
                });
}

/// Checks that the lines of every node are there from 0 on, each once, in order; after node failures some may be
/// missing. Returns the number of lines of each node.
inline std::map<std::uint32_t, std::uint32_t> check_book(const std::vector<line>& lines, bool has_gaps = false) {
  std::map<std::uint32_t, std::uint32_t> next;
  std::map<std::uint32_t, int> others;
  for (const line& l : lines) {
    if (l.sender == without_order) CHECK(++others[l.number] == 1);
    else CHECK((has_gaps ? l.number >= next[l.sender] : l.number == next[l.sender]));
    if (l.sender != without_order) next[l.sender] = l.number + 1;
  }
  next[without_order] = static_cast<std::uint32_t>(others.size());
  return next;
}

inline constexpr std::uint64_t most_hops = 5;

}  // namespace stretto::test
