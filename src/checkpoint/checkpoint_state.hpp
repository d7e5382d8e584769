// checkpoint_state.hpp - what a runtime holds for its checkpoints: its per-node values, and its copy until that is
// written.
//
// Threads     start_checkpoints, stop_checkpoints: the thread that makes and ends the runtime. The state: any, with its
//             locks.
#pragma once

#include <stretto/per_node_values.hpp>

#include <memory>
#include <mutex>
#include <vector>

#include "base/context.hpp"
#include "mobile/saved_objects.hpp"

namespace stretto {

/// Outlives the runtime if a per_node_values does.
struct detail::node_values {
  std::mutex lock;  // held while user functions read values: a thread that removes a value waits for them
  std::vector<std::shared_ptr<named_values>> all;
};

namespace checkpoints {

struct node_copy {
  std::vector<mobiles::saved_object> objects;
  std::vector<saved_value> per_node;  // values that this node saves for itself
};

struct checkpoint_state {
  const std::shared_ptr<detail::node_values> values = std::make_shared<detail::node_values>();
  std::mutex copy_lock;
  node_copy copy;
};

void start_checkpoints(base::runtime_context& runtime);
void stop_checkpoints(base::runtime_context& runtime) noexcept;

/// The state of the caller's runtime. Throws B20 on a thread of none; `verb`: the function that the user called.
checkpoint_state& state_here(const char* verb);

}  // namespace checkpoints
}  // namespace stretto
