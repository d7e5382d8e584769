// polling_search.hpp - the search level by level on one thread, which polls for messages between the vertices that it
// expands. For flat versions.
//
// An exchange has
//     poll(handle)                 calls handle(discoveries) for what has come; true once all of the level has come
//     send(to, discoveries, last)  may poll meanwhile, by the handle given
//     sum(n)                       of all processes
#pragma once

#include "bfs_graph.hpp"

namespace graph500 {

template <class Exchange>
class polling_search {
 public:
  polling_search(const graph_part& g, search_tree& tree, Exchange& exchange)
      : g_(g), tree_(tree), exchange_(exchange), out_(g.parts()) {}

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
  std::vector<vertex> found_from(const std::vector<vertex>& frontier, vertex level) {
    std::vector<vertex> next;
    const auto handle = [&](std::span<const discovery> come) {
      for (const discovery& d : come)
        if (tree_.visit(d.number, d.parent, level)) next.push_back(d.number);
    };
    exchange_.begin_level();
    for (const vertex v : frontier)
      tree_.expand(v, level, next, [&](int to, const discovery& d) {
        out_[to].push_back(d);
        if (out_[to].size() == most_discoveries) send(to, false, handle);
      });
    for (int to = 0; to < g_.parts(); ++to)
      if (to != g_.part()) send(to, true, handle);
    while (!exchange_.poll(handle)) {
    }
    return next;
  }

  template <class Handle>
  void send(int to, bool is_last, Handle& handle) {
    exchange_.poll(handle);
    exchange_.send(to, out_[to], is_last, handle);
    out_[to].clear();
  }

  const graph_part& g_;
  search_tree& tree_;
  Exchange& exchange_;
  std::vector<std::vector<discovery>> out_;  // by part
};

}  // namespace graph500
