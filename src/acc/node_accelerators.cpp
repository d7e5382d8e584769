#include "acc/node_accelerators.hpp"

#include <cstdlib>
#include <string_view>

#include "acc/accelerator_choice.hpp"
#include "acc/device_accelerator.hpp"
#include "acc/host_accelerator.hpp"
#include "base/context.hpp"
#include "data/data_state.hpp"

namespace stretto::acc {
namespace {

const data::data_state& data_of_node() { return data::state_of(base::require_current("acc")); }

/// STRETTO_ACC_DISCRETE=1: kernels do not use the memory of ranks, also where they could.
bool is_discrete() {
  const char* const text = std::getenv("STRETTO_ACC_DISCRETE");
  return text && std::string_view(text) == "1";
}

std::vector<accelerator_index> accelerators_of_node() {
  std::vector<device_facts> devices;
  if (const auto* const set = data_of_node().settings.devices)
    for (const auto& one : set->all()) devices.push_back(facts_of(one->is().about()));
  return accelerator_kinds(kinds_in_environment()).choose(devices);
}

/// Null: the cores of the host. Throws O17, O19.
device::attached_device* device_of(std::size_t position) {
  const std::vector<accelerator_index> all = accelerators_of_node();
  if (all.empty()) throw no_accelerator("the node", kinds_in_environment());
  const accelerator_index mine = all[position % all.size()];
  return mine ? data_of_node().settings.devices->all()[*mine].get() : nullptr;
}

}  // namespace

std::size_t count_accelerators() { return accelerators_of_node().size(); }

std::vector<unsigned> processors_near_accelerator(std::size_t position) {
  const device::attached_device* const device = count_accelerators() > 0 ? device_of(position) : nullptr;
  return device ? device->is().about().near_processors : std::vector<unsigned>();
}

std::unique_ptr<accelerator> open_accelerator(std::size_t position) {
  device::attached_device* const device = device_of(position);
  if (!device) return std::make_unique<host_accelerator>(is_discrete());
  return std::make_unique<device_accelerator>(*device, *data_of_node().find(device->memory()), is_discrete());
}

}  // namespace stretto::acc
