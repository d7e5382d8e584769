#include "ranks/heap/readonly_collective.hpp"

#include "ranks/heap/readonly_buffers.hpp"

namespace stretto::ranks {

void add_readonly(collective_call& call, int rank) {
  const bool is_broadcast = call.kind == collective_kind::broadcast;
  const bool is_scatter = call.kind == collective_kind::scatter || call.kind == collective_kind::scatterv;
  if (!is_broadcast && !is_scatter) return;
  const bool is_root = rank == call.root;
  if (is_root) call.is_readonly = is_sent_readonly(is_broadcast ? call.own.memory : call.sent.memory());
  if ((is_broadcast && is_root) || !call.own.type || call.own.is_in_place()) return;
  const data_part data = call.own.data(), own = readonly_received(data, call.own.memory);
  call.variable = own.variable();
  call.own.memory = static_cast<const std::byte*>(call.own.memory) + (own.address() - data.address());
}

}  // namespace stretto::ranks
