// window_creation.cpp - memory, and the addresses of all ranks' windows.
#include "ranks/windows/window_creation.hpp"

#include <string>
#include <utility>
#include <vector>

#include "ranks/call_error.hpp"
#include "ranks/datatypes/checked_number.hpp"

namespace stretto::ranks {
namespace {

bool is_on_this_node(world_rank rank, const window_site& site) {
  return !site.node_of || site.node_of(rank) == site.node_of(site.ranks.self);
}

bool are_on_one_node(const group& members, const window_site& site) {
  for (int rank = 0; rank < members.size(); ++rank)
    if (!is_on_this_node(members[rank], site)) return false;
  return true;
}

void check_parent(const communicator& parent, const window_shape& shape, const window_site& site) {
  if (parent.is_intercommunicator()) throw call_error(error_class::comm, "the communicator is an intercommunicator");
  if (shape.flavor == window_flavor::shared && !are_on_one_node(parent.members().local, site))
    throw call_error(error_class::rma_shared, "the ranks of the communicator do not share memory");
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
std::byte* part_of_block(rank_window& made, std::int64_t size, creation_exchange& exchange) {
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

void set_memory(rank_window& made, const window_shape& shape, creation_exchange& exchange) {
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

void serve_other_nodes(rank_window& made, const window_site& site) {
  const communicator_members& members = made.comm().members();
  auto channel = std::make_unique<window_channel>(site.messages, point_to_point_context(members.number), made.rank());
  for (int rank = 0; rank < made.size(); ++rank) channel->peers.push_back(site.reach(members.local[rank]));
  made.serve(std::move(channel));
}

/// A rank's window, for others.
struct target_offer {
  std::uintptr_t target = 0;  // for ranks of the node
  std::int64_t size = 0;      // -1: the window is dynamic
  std::int64_t unit = 0;
};

target_offer offer_of(rank_window& made) {
  target_offer offer{reinterpret_cast<std::uintptr_t>(static_cast<window_target*>(&made.own())), -1, 1};
  if (const auto& memory = made.own().memory.fixed()) {
    offer.size = memory->size;
    offer.unit = memory->unit;
  }
  return offer;
}

/// Ranks of a node use each other's objects, those of other nodes send messages.
void find_targets(rank_window& made, const window_site& site) {
  const group& members = made.comm().members().local;
  if (!are_on_one_node(members, site)) serve_other_nodes(made, site);
  std::vector<window_target*> targets;
  for (const target_offer& offer : gather_value(site.ranks.exchange, offer_of(made))) {
    const int rank = static_cast<int>(std::ssize(targets));
    const fixed_memory memory{nullptr, offer.size, offer.unit};
    if (is_on_this_node(members[rank], site)) targets.push_back(reinterpret_cast<window_target*>(offer.target));
    else targets.push_back(&made.add_remote(rank, offer.size < 0 ? nullptr : &memory));
  }
  made.set_targets(std::move(targets));
}

}  // namespace

std::unique_ptr<rank_window> create_window(communicator& parent, const window_shape& shape, const window_site& site) {
  check_parent(parent, shape, site);
  auto made =
      std::make_unique<rank_window>(create(parent, parent.members().local, site.ranks), shape.flavor, site.combining);
  set_memory(*made, shape, site.ranks.exchange);
  find_targets(*made, site);
  return made;
}

}  // namespace stretto::ranks
