// node_failures.hpp - a random program with failing nodes and cut links, and its invariants on the remaining nodes.
#pragma once

#include <stretto/error.hpp>

#include "mobile/trial.hpp"

namespace stretto::test {

/// Each future ends, and each message that succeeded was handled once, in order. `also` runs now and then.
inline void lose_at_random(std::uint64_t seed, trial::made how = trial::made::one_by_one, bool loses = true,
                           std::uint32_t most_nodes = 6, void (*also)(trial&) = nullptr) {
  trial t(seed, most_nodes, how);
  t.may_destroy = true;
  for (int i = 0; i < 120; ++i) {
    t.do_something();
    if (also && t.random() % 12 == 0) also(t);
    if (loses && t.nodes > 1 && t.random() % 60 == 0) t.lose_some();
  }
  t.finish_all();
  const bool is_certain = !t.has_losses && std::ranges::count(t.is_destroyed, true) == 0;
  // No future has the later parts of chains.
  if (is_certain) t.step_until([&] { return t.sent.handled == t.sent.sent_by_all(); });
  std::map<std::uint32_t, std::vector<line>> books;
  for (std::uint32_t o = 0; o < t.sent.objects.size(); ++o)
    for (std::uint32_t n = 0; n < t.nodes; ++n) {
      if (t.is_dead[n]) continue;
      if (auto lines = t.read(n, o)) {
        const auto counts = check_book(*lines, t.has_losses);
        for (const auto& [sender, count] : counts) {
          const std::uint32_t sent = sender == without_order  ? t.sent.without_order.load()
                                     : sender >= by_broadcast ? t.sent.broadcasts_of(sender - by_broadcast)
                                                              : t.sent.sent_by(sender, o);
          CHECK((is_certain && sender != without_order ? count == sent : count <= sent));
        }
        books[o] = std::move(*lines);
      }
    }
  CHECK(t.sent.disturbed == 0);
  // A line whose future succeeded is in the book.
  for (const auto& w : t.futures)
    t.on(w.node, [&] {
      if (is_certain) CHECK_NOTHROW(w.what.get());
      if (w.what.result() && w.object != ~0u && books.contains(w.object))
        CHECK(std::ranges::count(books[w.object], line{w.node, w.number}) == 1);
    });
}

}  // namespace stretto::test
