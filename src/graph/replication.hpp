// replication.hpp - which elements of a buffer this node holds, and which other nodes hold the elements that it owns.
//
// The last writer of an element owns it, and sends it to the nodes that need it and lack it. So owner and receiver each
// derive their transfers alone. A node neither knows nor asks which node owns an element that it lacks.
//
// Threads     one owner.
// Cost        take: O(pieces met). send: O(pieces met that this node owns and some node lacks); elements that all nodes
//             have are not visited until they are written again. written: two searches for each box if nothing changes,
//             else O(pieces met).
// Invariants  (1) an element that was ever written has one owner, or is replicated on all nodes. (2) an owner holds
//             what it owns. (3) after each write the owner sends an element to a node at most once, when the node first
//             needs it.
// Source      Celerity's owned and replicated regions. Here ownership and holders are separate maps: pieces that differ
//             in one do not fragment the other.
#pragma once

#include <vector>

#include "geometry/region_map.hpp"
#include "graph/node_set.hpp"

namespace stretto::graph {

/// Elements that this node sends to others.
struct sent_part {
  box where;
  node_set to;
  friend bool operator==(const sent_part&, const sent_part&) = default;
};

/// The elements that a node sends for a task, and those that it lacks.
struct passed {
  std::vector<sent_part> sent;
  std::vector<box> lacking;
};

class replication {
 public:
  replication(const box& elements, node_number self, node_number nodes);

  /// Appends the parts of `where` that this node lacks; it holds them from now on. Elements that were never written are
  /// not lacking.
  void take(const box& where, std::vector<box>& lacking);
  /// True if this node owns an element that some other node lacks.
  bool may_send() const noexcept { return owned_.size() != 0; }
  /// Appends the parts of `where` that this node owns and some other node lacks.
  void unshared(const box& where, std::vector<box>& out) const;
  /// Appends what this node owns of `where` and any of `users` lacks; they hold it from now on.
  void send(const box& where, const node_set& users, std::vector<sent_part>& sent);

  /// All nodes together have written `all`; this node has written `own`, and owns it.
  void written(const std::vector<box>& all, const std::vector<box>& own);
  /// All nodes hold the elements, and none owns them.
  void written_everywhere(const box& all);

  /// The number of pieces stored.
  std::size_t pieces() const noexcept { return states_.size() + owned_.size(); }
  /// The complete state, encoded: equal keys mean equal behaviour from now on. Cost: O(pieces), sorted.
  std::vector<std::uint64_t> key() const;

 private:
  enum class state : std::uint8_t { elsewhere, held };

  bool is_as_written(const std::vector<box>& all, const std::vector<box>& own) const;

  box elements_;
  node_set others_;
  region_map<state> states_;    // for every element
  region_map<node_set> owned_;  // for elements owned here and not held everywhere: the other holders
};

}  // namespace stretto::graph
