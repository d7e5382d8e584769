// instruction.hpp - one step of what a node does, small enough that each is one operation of one device, channel or network.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "graph/ids.hpp"
#include "graph/node_shape.hpp"
#include "graph/replication.hpp"
#include "graph/sequence.hpp"

namespace stretto::graph {

/// What sender and receiver of elements both call a transfer: the task that needs them, and a number within it. Partial values of a
/// reduction come from several nodes, each by itself.
struct transfer_id {
  task_id of;
  std::uint32_t slot = 0;
  node_number from = 0;  // of a partial value; else 0, whoever it is
  friend constexpr auto operator<=>(const transfer_id&, const transfer_id&) = default;
};

struct allocate {
  allocation_id is;
  memory_number where = 0;
  buffer_id of;
  box elements;
  std::optional<std::uint64_t> offset = {};  // where in a memory of bounded size; none: wherever there is room
  bool is_behind = false;  // the release of what lay there
};
/// Nothing uses it any more.
struct release {
  allocation_id is;
};
/// Elements of one buffer from one allocation to another.
struct copy {
  buffer_id of;
  allocation_id from, to;
  std::vector<box> parts;
};
/// Every element becomes what changes nothing where a reduction of the task folds it.
struct fill_identity {
  buffer_id of;
  allocation_id is;
  std::uint32_t reduction = 0;
};
/// Folds every element of `from` into that of `to`, behind what is there. Both have all elements of the buffer.
struct fold {
  buffer_id of;
  allocation_id from, to;
  std::uint32_t reduction = 0;
};
/// What a kernel or host task may touch: access by access of its task, then the partial value of each reduction. No allocation: nothing.
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
/// Elements that other nodes send. Has ended when all have come; each part may be waited for alone, through its `arrive`.
struct receive {
  buffer_id of;
  allocation_id to;
  transfer_id by;
  std::vector<box> parts;
};
/// A part of a receive has come.
struct arrive {
  instruction_id of;
  std::uint32_t part = 0;
};
struct pass_horizon {};
struct pass_epoch {};

struct instruction {
  instruction_id id;
  task_id of;
  dependencies follows;  // numbers of instructions of this node
  std::variant<allocate, release, copy, fill_identity, fold, compute, send, receive, arrive, pass_horizon, pass_epoch> what;
};

}  // namespace stretto::graph
