// node_part.hpp - one node's part of a search: its tasks, and the work that it sends to idle nodes.
//
// Within a node, a task gives away half of its work on request (should_split). Between nodes, a node without work sends
// one request to its neighbours in a connected graph of all nodes, and sleeps. A neighbour with enough work sends half
// of a stack, as a task. No request is repeated and nothing is polled. When no task is left anywhere, the finish around
// the search ends.
//
// Threads     tasks of its node; between nodes, messages.
// Cost        a look at one word per visited node. An idle node sends a message to each of log2(nodes) neighbours.
// Source      lifelines: Saraswat, Kambadur, Kodali, Grove, Krishnamoorthy, "Lifeline-based global load balancing",
//             PPoPP 2011.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include <stretto/progress.hpp>

#include "uts/uts_tree.hpp"

namespace uts {

class part {
 public:
  /// Alone: no other node takes part.
  part(const tree& searched, std::uint32_t workers, stretto::progress* shown);
  part(const parameters& of, std::uint32_t workers);
  part(const part&) = delete;

  std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(this); }
  static part& at(std::uint64_t address) { return *reinterpret_cast<part*>(static_cast<std::uintptr_t>(address)); }

  /// The parts of all nodes, by their addresses there.
  void join(std::vector<std::uint64_t> all);
  /// Spawns a task that searches below these nodes; to be called inside a finish.
  void search(std::vector<node> from);
  /// This node has nothing to do, and neighbours shall know.
  void request_work();

  /// By worker, once the search is over.
  std::vector<census> counted() const;
  std::uint64_t given() const { return given_; }  // stacks, to other nodes

 private:
  /// Counters of one worker, alone on two cache lines (the prefetcher fetches lines in pairs).
  struct alignas(128) padded {
    census counted;
  };
  void visit(std::vector<node> stack);
  void give_to_worker(std::vector<node>& stack);
  void give_to_node(std::vector<node>& stack);
  void asked_by(std::uint32_t node);

  const tree searched_;
  std::vector<padded> counts_;
  stretto::progress* const shown_;
  std::vector<std::uint64_t> all_;         // empty: alone
  std::atomic<std::uint64_t> running_{0};  // searching tasks here
  std::atomic<std::uint64_t> given_{0};
  std::atomic<bool> is_asked_{false};  // somebody hungers
  std::mutex mutex_;
  std::vector<std::uint32_t> hungry_;  // who
};

}  // namespace uts
