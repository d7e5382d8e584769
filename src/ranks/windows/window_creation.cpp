// window_creation.cpp - memory, and the addresses of all ranks' windows.
#include "ranks/windows/window_creation.hpp"

#include <string>
#include <utility>
#include <vector>

#include "ranks/call_error.hpp"
#include "ranks/datatypes/checked_number.hpp"

namespace stretto::ranks {
namespace {

bool are_on_one_node(const group& members, const window_site& site) {
  if (!site.node_of) return true;
  for (int rank = 1; rank < members.size(); ++rank)
    if (site.node_of(members[rank]) != site.node_of(members[0])) return false;
  return true;
}

void check_parent(const communicator& parent, const window_shape& shape, const window_site& site) {
  if (parent.is_intercommunicator()) throw call_error(error_class::comm, "the communicator is an intercommunicator");
  if (are_on_one_node(parent.members().local, site)) return;
  if (shape.flavor == window_flavor::shared)
    throw call_error(error_class::rma_shared, "the ranks of the communicator do not share memory");
  throw call_error(error_class::unsupported_operation, "windows of ranks on several nodes are not possible yet");
}

/// Where a rank's memory lies in a block of all, and the bytes of the block.
struct place_in_block {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

place_in_block place_of(const std::vector<std::int64_t>& sizes, int rank) {
  place_in_block place;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (static_cast<int>(i) == rank) place.offset = place.bytes;
    place.bytes = sum(place.bytes, sizes[i]);
  }
  return place;
}

/// The first rank allocates the block of all.
std::byte* part_of_block(window& made, std::int64_t size, creation_exchange& exchange) {
  const place_in_block place = place_of(gather_value(exchange, size), made.rank());
  std::uintptr_t block = 0;
  if (made.rank() == 0) {
    memory_block memory(place.bytes);
    block = reinterpret_cast<std::uintptr_t>(memory.memory());
    made.keep(std::move(memory));
  }
  block = gather_value(exchange, block)[0];
  return reinterpret_cast<std::byte*>(block) + place.offset;
}

void set_memory(window& made, const window_shape& shape, creation_exchange& exchange) {
  if (shape.flavor == window_flavor::dynamic) return;
  fixed_memory memory = shape.memory;
  if (shape.flavor == window_flavor::shared && shape.is_contiguous) {
    memory.base = part_of_block(made, memory.size, exchange);
  } else if (shape.flavor != window_flavor::create) {
    memory_block own(memory.size);
    memory.base = own.memory();
    made.keep(std::move(own));
  }
  made.use_memory(memory);
}

/// Ranks of a node use each other's objects.
void find_targets(window& made, creation_exchange& exchange) {
  const auto own = reinterpret_cast<std::uintptr_t>(static_cast<window_target*>(&made.own()));
  std::vector<window_target*> targets;
  for (const std::uintptr_t target : gather_value(exchange, own))
    targets.push_back(reinterpret_cast<window_target*>(target));
  made.set_targets(std::move(targets));
}

}  // namespace

std::unique_ptr<window> create_window(communicator& parent, const window_shape& shape, const window_site& site) {
  check_parent(parent, shape, site);
  auto made =
      std::make_unique<window>(create(parent, parent.members().local, site.ranks), shape.flavor, site.combining);
  set_memory(*made, shape, site.ranks.exchange);
  find_targets(*made, site.ranks.exchange);
  return made;
}

}  // namespace stretto::ranks
