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
  void visit(std::vector<node> stack) {
    padded& mine = parts[stretto::this_worker()];
    while (!stack.empty()) {
      const node n = stack.back();
      stack.pop_back();
      const int children = searched.num_children(n);
      mine.counted.visit(n, children);
      for (int i = 0; i < children; ++i) stack.push_back(searched.child(n, i));
      if (stack.size() > 1 && stretto::should_split()) give_older_half(stack);
      if (shown && mine.counted.nodes % told_at_once == 0) shown->advance(told_at_once);
    }
  }

  // The older nodes stand nearer to the root, so that their subtrees are the larger ones.
  void give_older_half(std::vector<node>& stack) {
    const auto middle = stack.begin() + static_cast<std::ptrdiff_t>(stack.size() / 2);
    stretto::async([this, older = std::vector(stack.begin(), middle)]() mutable { visit(std::move(older)); });
    stack.erase(stack.begin(), middle);
  }
};

}  // namespace

std::vector<census> search_parallel(const tree& t, std::uint32_t workers, stretto::progress* shown) {
  search s{t, std::vector<padded>(workers), shown};
  stretto::finish([&] { s.visit({t.root()}); });
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
