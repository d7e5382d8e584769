// task_search.hpp - the search level by level in tasks: some expand vertices, others handle messages as they come. For
// versions with a module of Stretto.
//
// An exchange has
//     receive(from, handle)        spawns tasks that call handle(discoveries), until all of the level has come
//     send(to, discoveries, last)  may suspend the task
//     sum(n)                       of all processes; suspends the task
//
// Threads     one search at a time. Handlers of several processes may run at once.
#pragma once

#include <stretto/stretto.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

#include "bfs_graph.hpp"

namespace graph500 {

template <class Exchange>
class task_search {
 public:
  task_search(const graph_part& g, search_tree& tree, Exchange& exchange)
      : g_(g), tree_(tree), exchange_(exchange), rest_(g.parts()) {}

  void run(vertex root) {
    std::vector<vertex> frontier;
    if (g_.owner(root) == g_.part()) {
      tree_.visit(g_.number(root), root, 0);
      frontier.push_back(g_.number(root));
    }
    for (vertex level = 1; exchange_.sum(static_cast<long>(frontier.size())) > 0; ++level)
      frontier = found_from(frontier, level);
  }

 private:
  static constexpr std::size_t vertices_of_a_task = 256;

  using messages = std::vector<std::pair<int, std::vector<discovery>>>;  // with the part each is for

  // A task has its own, since tasks run at the same time, also with one worker.
  struct lists {
    std::vector<vertex> next;
    std::vector<std::vector<discovery>> out;  // by part
  };

  std::vector<vertex> found_from(const std::vector<vertex>& frontier, vertex level) {
    stretto::finish([&] {
      for (int from = 0; from < g_.parts(); ++from)
        if (from != g_.part()) exchange_.receive(from, [this, level](auto come) { handle(come, level); });
      expand_all(frontier, level);
      for (int to = 0; to < g_.parts(); ++to)
        if (to != g_.part()) exchange_.send(to, std::exchange(rest_[to], {}), true);
    });
    return std::exchange(next_, {});
  }

  void handle(std::span<const discovery> come, vertex level) {
    std::vector<vertex> next;
    for (const discovery& d : come)
      if (tree_.visit(d.number, d.parent, level)) next.push_back(d.number);
    const std::scoped_lock lock(mutex_);
    next_.insert(next_.end(), next.begin(), next.end());
  }

  void expand_all(const std::vector<vertex>& frontier, vertex level) {
    std::vector<stretto::future<void>> tasks;
    for (std::size_t first = 0; first < frontier.size(); first += vertices_of_a_task) {
      const auto some = std::span(frontier).subspan(first, std::min(vertices_of_a_task, frontier.size() - first));
      tasks.push_back(stretto::async([this, some, level] { expand(some, level); }));
    }
    for (auto& t : tasks) t.get();
  }

  void expand(std::span<const vertex> some, vertex level) {
    lists mine{{}, std::vector<std::vector<discovery>>(g_.parts())};
    for (const vertex v : some)
      tree_.expand(v, level, mine.next, [&](int to, const discovery& d) {
        mine.out[to].push_back(d);
        if (mine.out[to].size() == most_discoveries) exchange_.send(to, std::exchange(mine.out[to], {}), false);
      });
    for (auto& [to, full] : joined(mine)) exchange_.send(to, std::move(full), false);
  }

  // Adds the lists of a task to those of the level. The messages that are full then.
  messages joined(const lists& mine) {
    messages full;
    const std::scoped_lock lock(mutex_);
    next_.insert(next_.end(), mine.next.begin(), mine.next.end());
    for (int to = 0; to < g_.parts(); ++to) {
      std::vector<discovery>& rest = rest_[to];
      if (rest.size() + mine.out[to].size() > most_discoveries) full.emplace_back(to, std::exchange(rest, {}));
      rest.insert(rest.end(), mine.out[to].begin(), mine.out[to].end());
    }
    return full;
  }

  const graph_part& g_;
  search_tree& tree_;
  Exchange& exchange_;

  std::mutex mutex_;  // guards what follows, of one level
  std::vector<vertex> next_;
  std::vector<std::vector<discovery>> rest_;  // by part
};

}  // namespace graph500
