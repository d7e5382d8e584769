// instruction.hpp - one step of what a node does, small enough that each is one operation of one device, channel or network.
#pragma once

#include <variant>
#include <vector>

#include "graph/ids.hpp"
#include "graph/node_shape.hpp"
#include "graph/replication.hpp"
#include "graph/sequence.hpp"

namespace stretto::graph {

/// What sender and receiver of elements both call a transfer: the task that needs them, and a number within it.
struct channel {
  task_id of;
  std::uint32_t slot = 0;
  friend constexpr auto operator<=>(const channel&, const channel&) = default;
};

struct allocate {
  allocation_id is;
  memory_number where = 0;
  buffer_id of;
  box elements;
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
/// What a kernel or host task may touch: access by access of its task. No allocation: nothing.
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
  channel by;
  std::vector<sent_part> parts;
};
/// Elements that other nodes send. Has ended when all have come; each part may be waited for alone, through its `arrive`.
struct receive {
  buffer_id of;
  allocation_id to;
  channel by;
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
  std::variant<allocate, release, copy, compute, send, receive, arrive, pass_horizon, pass_epoch> what;
};

}  // namespace stretto::graph
