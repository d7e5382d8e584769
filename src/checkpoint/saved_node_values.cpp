#include "checkpoint/saved_node_values.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <mutex>

#include "checkpoint/checkpoint_state.hpp"
#include "checkpoint/content_io.hpp"

namespace stretto {

namespace detail {

void add_named_values(const std::shared_ptr<named_values>& mine) {
  mine->node = checkpoints::state_here("per_node_values").values;
  node_values& node = *mine->node;
  const std::scoped_lock lock(node.lock);
  node.all.push_back(mine);
}

void remove_named_values(const std::shared_ptr<named_values>& mine) noexcept {
  node_values& node = *mine->node;
  const std::scoped_lock lock(node.lock);
  std::erase(node.all, mine);
}

void add_named_value(const std::shared_ptr<named_values>& in, std::string_view name, std::function<saved_value()> now,
                     const std::source_location& where) {
  checkpoints::require_valid_name(std::string(name), where);
  node_values& node = *in->node;
  const std::scoped_lock lock(node.lock);
  for (const auto& some : node.all)
    if (std::ranges::any_of(some->all, [&](const named_values::one& o) { return o.name == name; }))
      throw error("C08",
                  "a checkpoint cannot store two things of one node under the name \"" + std::string(name) + "\"")
          .fact("called", where)
          .remedy("give each a name of its own");
  in->all.push_back({std::string(name), std::move(now)});
}

}  // namespace detail

namespace checkpoints {

std::vector<saved_value> read_per_node_values() {
  detail::node_values& node = *state_here("save_checkpoint").values;
  const std::scoped_lock lock(node.lock);
  std::vector<saved_value> all;
  for (const auto& some : node.all)
    for (const detail::named_values::one& o : some->all) all.push_back(o.now());
  return all;
}

}  // namespace checkpoints
}  // namespace stretto
