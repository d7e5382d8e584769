// buffers_state.hpp - what the floor keeps for one runtime.
//
// Threads     whoever holds the mutex.
#pragma once

#include <stretto/buffer.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "buffers/execution.hpp"
#include "graph/command_graph.hpp"
#include "graph/instruction_graph.hpp"
#include "graph/task_graph.hpp"

namespace stretto::buffers {

struct buffers_state {
  buffers_state(base::runtime_context& r, graph::node_number self, graph::node_number nodes, graph::node_shape shape, execution::site_list sites)
      : runtime(&r), commands(self, nodes), instructions(std::move(shape)), doing(std::move(sites), nodes) {}

  base::runtime_context* runtime;  // null once that has ended
  bool check = false;

  std::mutex mutex;  // guards what follows
  graph::task_graph tasks;
  graph::command_graph commands;
  graph::instruction_graph instructions;
  execution doing;
  /// Mappings of functions that are called again, so that what they gave is remembered.
  struct known_mapping {
    std::shared_ptr<const detail::range_mapper::function> of;
    box elements;
    graph::mapping is;
  };
  std::vector<known_mapping> known_mappings;
};

struct buffer_record {
  ~buffer_record();

  std::shared_ptr<buffers_state> state;
  graph::buffer_id id;
  box elements;
  element_type type;
  std::string name;
};

/// "buffer B3 "image"".
std::string describe(const buffer_record& b);

const std::shared_ptr<buffers_state>& state_of(const base::runtime_context& runtime) noexcept;

}  // namespace stretto::buffers
