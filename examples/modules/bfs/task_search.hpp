// task_search.hpp - the search level by level in tasks: some expand vertices, others handle messages as they come. For
// versions with a module of Stretto.
//
// An exchange has
//     receive(from, handle)        spawns tasks that call handle(discoveries), until all of the level has come from
//     there send(to, discoveries, last)  may suspend the task sum(n)                       of all processes; suspends
//     the task
//
// Threads     one search at a time. Handlers of several processes may run at once.
#pragma once

#include <stretto/stretto.hpp>

#include <algorithm>
#include <utility>

#include "bfs_graph.hpp"

namespace graph500 {

template <class Exchange>
class task_search {
 public:
  task_search(const graph_part& g, search_tree& tree, Exchange& exchange, std::uint32_t workers)
      : g_(g), tree_(tree), exchange_(exchange), of_worker_(workers) {
    for (auto& w : of_worker_) w.out.resize(g.parts());
  }

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

  struct alignas(128) lists {
    std::vector<vertex> next;
    std::vector<std::vector<discovery>> out;  // by part
  };

  lists& mine() { return of_worker_[stretto::this_worker()]; }

  std::vector<vertex> found_from(const std::vector<vertex>& frontier, vertex level) {
    stretto::finish([&] {
      for (int from = 0; from < g_.parts(); ++from)
        if (from != g_.part()) exchange_.receive(from, [this, level](auto come) { handle(come, level); });
      expand_all(frontier, level);
      for (int to = 0; to < g_.parts(); ++to)
        if (to != g_.part()) send_rest(to);
    });
    std::vector<vertex> next;
    for (lists& w : of_worker_) next.insert(next.end(), w.next.begin(), w.next.end()), w.next.clear();
    return next;
  }

  void handle(std::span<const discovery> come, vertex level) {
    std::vector<vertex>& next = mine().next;  // of this worker alone: nothing here suspends
    for (const discovery& d : come)
      if (tree_.visit(d.number, d.parent, level)) next.push_back(d.number);
  }

  void expand_all(const std::vector<vertex>& frontier, vertex level) {
    std::vector<stretto::future<void>> tasks;
    for (std::size_t first = 0; first < frontier.size(); first += vertices_of_a_task) {
      const auto some = std::span(frontier).subspan(first, std::min(vertices_of_a_task, frontier.size() - first));
      tasks.push_back(stretto::async([this, some, level] {
        for (const vertex v : some) expand(v, level);
      }));
    }
    for (auto& t : tasks) t.get();
  }

  // Full messages are sent once the vertex is done: to send may suspend, and the task may resume on another worker.
  void expand(vertex v, vertex level) {
    std::vector<std::pair<int, std::vector<discovery>>> full;
    lists& here = mine();
    tree_.expand(v, level, here.next, [&](int to, const discovery& d) {
      here.out[to].push_back(d);
      if (here.out[to].size() < most_discoveries) return;
      full.emplace_back(to, std::exchange(here.out[to], {}));
      here.out[to].reserve(most_discoveries);
    });
    for (auto& [to, some] : full) exchange_.send(to, std::move(some), false);
  }

  void send_rest(int to) {
    std::vector<discovery> rest;
    for (lists& w : of_worker_) {
      const std::vector<discovery> some = std::exchange(w.out[to], {});
      if (rest.size() + some.size() > most_discoveries) exchange_.send(to, std::exchange(rest, {}), false);
      rest.insert(rest.end(), some.begin(), some.end());
    }
    exchange_.send(to, std::move(rest), true);
  }

  const graph_part& g_;
  search_tree& tree_;
  Exchange& exchange_;
  std::vector<lists> of_worker_;
};

}  // namespace graph500
