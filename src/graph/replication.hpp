// replication.hpp - which elements of a buffer this node holds, and, of those that it wrote last, which other nodes hold them, too.
//
// Who wrote an element last owns it, and sends it to the nodes that need it and lack it. So its owner and its receiver each find alone
// what passes between them; who owns what this node lacks is not known here, nor asked for.
//
// Threads     one owner.
// Cost        take: O(pieces met). send: O(pieces met that this node owns and some node lacks): what all nodes have is not looked at
//             again until it is written. written: two searches for each box where nothing changes, else O(pieces met).
// Invariants  (1) an element that was ever written has one owner, or is alike on all nodes. (2) an owner holds what it owns. (3) what a
//             node lacks is sent to it by its owner once, when it needs it first, for each time that it is written.
// Source      Celerity's owned and replicated regions, here apart from who wrote last: pieces that differ in one do not keep pieces of the
//             other from merging.
#pragma once

#include <vector>

#include "geometry/region_map.hpp"
#include "graph/node_set.hpp"

namespace stretto::graph {

/// Elements that go from this node to others.
struct sent_part {
  box where;
  node_set to;
  friend bool operator==(const sent_part&, const sent_part&) = default;
};

/// What a task has a node send, and what it finds lacking.
struct passed {
  std::vector<sent_part> sent;
  std::vector<box> lacking;
};

class replication {
 public:
  replication(const box& elements, node_number self, node_number nodes);

  /// Appends the parts of `where` that this node lacks, which it holds from now on. What was never written lacks nowhere.
  void take(const box& where, std::vector<box>& lacking);
  /// This node owns something that some other lacks.
  bool may_send() const noexcept { return owned_.size() != 0; }
  /// Appends the parts of `where` that this node owns and some other lacks.
  void unshared(const box& where, std::vector<box>& out) const;
  /// Appends what this node owns of `where` and any of `users` lacks: they hold it from now on.
  void send(const box& where, const node_set& users, std::vector<sent_part>& sent);

  /// Nodes have written `all`, this one of it `own`, which it owns.
  void written(const std::vector<box>& all, const std::vector<box>& own);
  /// All nodes have it, and nobody owns it.
  void written_everywhere(const box& all);

  /// Pieces remembered.
  std::size_t pieces() const noexcept { return states_.size() + owned_.size(); }
  /// All that is remembered: what says the same words does the same from now on. Cost: O(pieces), sorted.
  std::vector<std::uint64_t> key() const;

 private:
  enum class state : std::uint8_t { elsewhere, held };

  bool is_as_written(const std::vector<box>& all, const std::vector<box>& own) const;

  box elements_;
  node_set others_;
  region_map<state> states_;    // of every element
  region_map<node_set> owned_;  // who else has what is owned here and not everywhere
};

}  // namespace stretto::graph
