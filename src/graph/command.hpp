// command.hpp - one action of one node for a task.
#pragma once

#include <variant>
#include <vector>

#include "graph/exchange.hpp"
#include "graph/ids.hpp"
#include "graph/replication.hpp"
#include "graph/sequence.hpp"

namespace stretto::graph {

/// The node's chunk of a kernel or host task.
struct execute {
  box chunk;
};
/// Sends elements that this node owns to nodes that need them for the task.
struct push {
  buffer_id buffer;
  std::vector<sent_part> parts;
};
/// Awaits elements that the task needs here and other nodes own and push. The receiver does not know the senders: both
/// sides identify the transfer by task and buffer.
struct await_push {
  buffer_id buffer;
  std::vector<box> parts;
};
/// Folds the partial values of nodes 0 to contributors - 1, in the order of their numbers, on every node, after the
/// node's chunk, if it has one. If the current value is included, node 0 holds it, folds it first, and contributes even
/// without a chunk. Without contributors, all elements become the identity.
struct reduce {
  buffer_id buffer;
  bool includes_current;
  node_number contributors;
  node_number self = 0;                      // the node of this command,
  std::vector<exchange_step> exchange = {};  // and its messages to get the result
};
struct horizon {};
struct epoch {};

struct command {
  command_id id;
  task_id of;
  dependencies follows;  // command numbers of this node
  std::variant<execute, push, await_push, reduce, horizon, epoch> what;
};

/// Elements that a task reads although no task has written them. The same on all nodes.
struct unwritten_read {
  std::size_t access;  // reductions are numbered after all accesses
  region where;
};

}  // namespace stretto::graph
