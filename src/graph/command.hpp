// command.hpp - one thing that one node does for a task.
#pragma once

#include <variant>
#include <vector>

#include "graph/exchange.hpp"
#include "graph/ids.hpp"
#include "graph/replication.hpp"
#include "graph/sequence.hpp"

namespace stretto::graph {

/// Its chunk of a kernel or host task.
struct execute {
  box chunk;
};
/// Elements that this node owns, to nodes that need them for the task.
struct push {
  buffer_id buffer;
  std::vector<sent_part> parts;
};
/// Elements that the task needs here and others own, who push them. Whoever that is: the task and the buffer are what both know.
struct await_push {
  buffer_id buffer;
  std::vector<box> parts;
};
/// Folds the partial values that nodes 0 to contributors - 1 have of all elements, in the order of their numbers, on every node: behind the
/// node's chunk, if it has one. Node 0 has the current content, which comes first if it is included; then it contributes without a chunk, too.
/// Where nobody contributes, elements are what changes nothing.
struct reduce {
  buffer_id buffer;
  bool includes_current;
  node_number contributors;
  node_number self = 0;                      // whose command it is,
  std::vector<exchange_step> exchange = {};  // and what that one does to have the result
};
struct horizon {};
struct epoch {};

struct command {
  command_id id;
  task_id of;
  dependencies follows;  // numbers of commands of this node
  std::variant<execute, push, await_push, reduce, horizon, epoch> what;
};

/// Elements that a task reads and nobody has written. The same on all nodes.
struct unwritten_read {
  std::size_t access;  // reductions count behind all accesses
  region where;
};

}  // namespace stretto::graph
