// happens_before.hpp - decides whether one operation happens before another: vector clocks over chains of operations.
//
// A chain is a sequence of operations in which each follows the one before it. An operation gets a place in a chain
// when it begins. The clock of an operation has one number per chain: the place of its last predecessor there. So a
// query is one comparison. The nodes of the order are operations, merges of events, and states of tasks. Only
// operations get places: merges and tasks that touch no data need none. The clock of a node is computed when it is
// needed first.
//
// Threads     one at a time.
// Memory      bounded: rings of `most_nodes` nodes and `clock_capacity` clock entries, and `most_chains` chains. A
//             node whose entry was overwritten counts as a predecessor of all later ones, so that is_before() never
//             returns false wrongly.
// Cost        begin: the total size of the predecessors' clocks; is_before: a few loads; make and follow: constant.
// Invariants  (1) is_before is false only if no reported dependency orders the two. (2) a node that another follows has
//             ended, or been skipped, before the other begins.
// Source      clocks and epochs: Mattern 1989; Flanagan, Freund, "FastTrack", PLDI 2009. Chains instead of threads,
//             formed greedily as operations arrive: Agarwal, Garg, "Efficient dependency tracking", PODC 2005. That
//             paper keeps all operations. Here `time` is the number of operations that have begun, and an operation
//             that was dropped counts as a predecessor of all later ones.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stretto::data {

class happens_before {
 public:
  using node_id = std::uint64_t;  // 0: no node; it precedes everything

  /// The place of an operation: its chain, its number in the chain, and its time of beginning.
  struct epoch {
    std::uint64_t place = 0;
    std::uint64_t time = 0;
    bool operator==(const epoch&) const = default;
  };

  /// The predecessors of a task, or of the body of a worker, so far: all that it has waited for. Must live until the
  /// node that end_of() returned has a clock, or until restart().
  struct wait_history {
    std::vector<std::uint64_t> clock;
    std::uint64_t knows_all_until = 0;  // all operations up to this time precede it
    std::vector<node_id> pending;       // predecessors whose clocks are not joined yet
    bool after_unknown = false;         // it follows something unknown
    node_id state = 0, end = 0;         // the nodes of its present state and of its end
  };

  struct limits {
    std::size_t most_nodes = std::size_t{1} << 17;
    std::size_t clock_capacity = std::size_t{1} << 21;
    std::size_t most_chains = 2048;
  };
  explicit happens_before(limits l);
  happens_before() : happens_before(limits{}) {}

  node_id make();
  /// `n` follows `earlier`; to be called before any query about `n`. 0 is no node.
  void follow(node_id n, node_id earlier);
  /// `n` follows something unknown: treats all operations that begin before `n` as its predecessors.
  void follow_unknown(node_id n);

  /// The task of `s` has waited for `earlier`.
  void wait(wait_history& s, node_id earlier);
  /// The task may have waited for any operation that has begun: treats all of them as its predecessors.
  void wait_for_all(wait_history& s);
  /// The node of the task's present state; it follows all that the task has waited for so far.
  node_id state_of(wait_history& s);
  /// The node of the task's end; it follows all that the task waits for until then.
  node_id end_of(wait_history& s);
  /// The task has ended; `s` is reused for another one.
  void restart(wait_history& s);

  /// Begins an operation; is_before() refers to it until the next begin(). False if the node has been dropped.
  bool begin(node_id n);
  epoch current() const noexcept { return current_; }
  bool is_before(const epoch& e) const noexcept {
    if (e.time <= knows_all_until_ || e.place == current_.place) return true;
    const std::size_t chain = e.place >> place_bits;
    return has_chain(chain) && place_by_chain_[chain] >= e.place;
  }

  /// Names a node by an event; valid as long as the node is kept.
  void name(node_id n, std::uint64_t event);
  node_id named(std::uint64_t event) const noexcept {
    const auto found = names_.find(event);
    return found == names_.end() ? 0 : found->second;
  }

  struct sizes {
    std::size_t names, chains;
  };
  sizes size() const noexcept { return {names_.size(), chains_.size()}; }

 private:
  static constexpr unsigned place_bits = 48;
  static constexpr std::uint64_t number_mask = (std::uint64_t{1} << place_bits) - 1;

  struct node {
    node_id id = 0;
    bool has_clock = false, is_visited = false, after_unknown = false;
    unsigned predecessor_count = 0;
    std::array<node_id, 7> predecessors{};
    std::vector<node_id> further_predecessors;
    wait_history* ends_task = nullptr;  // the task of which this node is the end
    std::uint64_t clock_at = 0;         // if has_clock: position of its clock among all entries ever written
    std::uint32_t clock_length = 0;
    std::uint64_t knows_all_until = 0;  // all operations up to this time precede it
    std::uint64_t clock_time = 0;
    std::uint64_t event = 0;
  };
  struct chain {
    std::uint64_t tail = 0;  // the place of its last operation
    std::uint64_t time = 0;  // when that began
  };

  node* find(node_id n) noexcept {
    node& found = nodes_[n & (nodes_.size() - 1)];
    return found.id == n && n ? &found : nullptr;
  }
  bool has_chain(std::size_t chain) const noexcept { return has_chain_[chain / 64] >> (chain % 64) & 1; }
  void add_to_clock(std::uint64_t place) noexcept;
  void add_to_clock(std::span<const std::uint64_t> clock) noexcept {
    for (const std::uint64_t place : clock) add_to_clock(place);
  }
  void clear_clock() noexcept;
  void join(node_id n) noexcept;
  void join(const wait_history& s) noexcept;
  template <class Body>
  static void for_each_predecessor(const node& n, Body&& body);
  void join_predecessors(const node& n) noexcept;
  void compute_pending_clocks(const std::vector<node_id>& all);
  void compute_clock(node_id n);
  void compute_clock(wait_history& s);
  void push_without_clock(node_id n);
  void store_clock(node& n);
  /// Calls body(place) for the places of the clock being built, without those that count as known to all.
  template <class Body>
  void for_each_place(Body&& body) const;
  /// The chain to which the operation that begins is appended.
  std::size_t chain_to_extend();

  std::vector<node> nodes_;
  node_id last_ = 0;
  const std::size_t clock_capacity_;
  std::unique_ptr<std::uint64_t[]> clocks_;  // clocks, as a ring
  std::uint64_t entries_written_ = 0;
  std::vector<chain> chains_;
  std::size_t most_chains_, next_probe_ = 0;
  std::uint64_t begun_operations_ = 0;  // number of operations that have begun
  std::uint64_t horizon_ = 0;           // operations up to this time count as before all others
  std::uint64_t knows_all_until_ = 0;   // with dense_ and known_: the clock being built
  std::vector<std::uint64_t> place_by_chain_, has_chain_;
  epoch current_;
  std::vector<node_id> stack_;
  std::unordered_map<std::uint64_t, node_id> names_;
};

}  // namespace stretto::data
