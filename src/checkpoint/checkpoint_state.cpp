#include "checkpoint/checkpoint_state.hpp"

namespace stretto::checkpoints {

void start_checkpoints(base::runtime_context& runtime) {
  runtime.set(base::floor_slot::checkpoint, new checkpoint_state);
}

void stop_checkpoints(base::runtime_context& runtime) noexcept {
  delete runtime.get<checkpoint_state>(base::floor_slot::checkpoint);
  runtime.set(base::floor_slot::checkpoint, nullptr);
}

checkpoint_state& state_here(const char* verb) {
  return *base::require_current(verb).runtime->get<checkpoint_state>(base::floor_slot::checkpoint);
}

}  // namespace stretto::checkpoints
