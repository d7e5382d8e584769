#include "demo/uts/search.hpp"

#include <stretto/finish.hpp>
#include <stretto/task.hpp>

namespace uts {
namespace {

/// Workers share the count of a progress, so each brings its nodes there in bundles.
constexpr std::uint64_t told_at_once = 16384;

/// Counters of one worker, alone on two cache lines (the prefetcher fetches lines in pairs).
struct alignas(128) padded {
  census counted;
};

struct search {
  const tree& searched;
  std::vector<padded> parts;
  stretto::progress* shown;

  // A task moves to another worker only where it waits, and this one never does: its counters stay its own.
  void visit(node n) {
    padded& mine = parts[stretto::this_worker()];
    for (;;) {
      const int children = searched.num_children(n);
      mine.counted.visit(n, children);
      if (shown && mine.counted.nodes % told_at_once == 0) shown->advance(told_at_once);
      if (children == 0) return;
      // A child is hashed by the task that visits it, so that a node of many children is no bottleneck.
      for (int i = 0; i + 1 < children; ++i)
        stretto::async([this, n, i] { visit(searched.child(n, i)); });
      n = searched.child(n, children - 1);
    }
  }
};

}  // namespace

std::vector<census> search_parallel(const tree& t, std::uint32_t workers, stretto::progress* shown) {
  search s{t, std::vector<padded>(workers), shown};
  stretto::finish([&] { s.visit(t.root()); });
  std::vector<census> counted;
  for (const padded& part : s.parts) counted.push_back(part.counted);
  return counted;
}

census sum(const std::vector<census>& parts) {
  census all;
  for (const census& part : parts) all += part;
  return all;
}

}  // namespace uts
