// instruction.hpp - one step of a node's work: a single operation of one device, copy engine or network link.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "graph/ids.hpp"
#include "graph/node_shape.hpp"
#include "graph/replication.hpp"
#include "graph/sequence.hpp"

namespace stretto::graph {

/// Identifies a transfer between nodes for both sides: the task that needs the elements, and a number within it.
/// Partial values of a reduction come from several nodes, each as a transfer of its own.
struct transfer_id {
  task_id of;
  std::uint32_t slot = 0;
  node_number from = 0;  // the sender of a partial value; else 0, for any sender
  friend constexpr auto operator<=>(const transfer_id&, const transfer_id&) = default;
};

struct allocate {
  allocation_id is;
  memory_number where = 0;
  buffer_id of;
  box elements;
  std::optional<std::uint64_t> offset = {};  // address in a bounded memory; none: the allocator chooses
  bool is_behind = false;  // true if it follows the release of an earlier allocation at these addresses
};
/// Frees an allocation.
struct release {
  allocation_id is;
};
/// Copies elements of one buffer from one allocation to another.
struct copy {
  buffer_id of;
  allocation_id from, to;
  std::vector<box> parts;
};
/// Sets every element to the identity of a reduction of the task.
struct fill_identity {
  buffer_id of;
  allocation_id is;
  std::uint32_t reduction = 0;
};
/// Folds every element of `from` into `to`, behind the value there. Both have all elements of the buffer.
struct fold {
  buffer_id of;
  allocation_id from, to;
  std::uint32_t reduction = 0;
};
/// The elements that a kernel or host task may access: one entry for each access of its task, then one for the partial
/// value of each reduction. No allocation: no elements.
struct used_allocation {
  allocation_id is;
  box part;
};
struct compute {
  processor_number by = 0;
  box chunk;
  std::vector<used_allocation> uses;
};
struct send {
  buffer_id of;
  allocation_id from;
  transfer_id by;
  std::vector<sent_part> parts;
};
/// Receives elements from other nodes. Ends when all have arrived; each part can be awaited alone through its `arrive`.
struct receive {
  buffer_id of;
  allocation_id to;
  transfer_id by;
  std::vector<box> parts;
};
/// Ends when one part of a receive has arrived.
struct arrive {
  instruction_id of;
  std::uint32_t part = 0;
};
struct pass_horizon {};
struct pass_epoch {};

struct instruction {
  instruction_id id;
  task_id of;
  dependencies follows;  // instruction numbers of this node
  std::variant<allocate, release, copy, fill_identity, fold, compute, send, receive, arrive, pass_horizon, pass_epoch>
      what;
};

}  // namespace stretto::graph
