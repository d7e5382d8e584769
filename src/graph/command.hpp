// command.hpp - one thing that one node does for a task.
#pragma once

#include <variant>
#include <vector>

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
struct horizon {};
struct epoch {};

struct command {
  command_id id;
  task_id of;
  dependencies follows;  // numbers of commands of this node
  std::variant<execute, push, await_push, horizon, epoch> what;
};

}  // namespace stretto::graph
