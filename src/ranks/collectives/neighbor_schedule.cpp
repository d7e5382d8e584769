// neighbor_schedule.cpp - exchanges between neighbours of a topology: all at once.
#include "ranks/collectives/algorithms.hpp"

namespace stretto::ranks {

namespace {

/// The source whose receive is begun as number i. Messages between two ranks arrive in the order of the sender's
/// destinations; of a dimension, the first is what goes down, and arrives from above.
std::size_t source_in_order(const neighbor_ranks& neighbors, std::size_t i) {
  return neighbors.order == neighbor_order::cartesian ? i ^ 1 : i;
}

template <typename Block>
void append_neighbor_exchange(schedule& steps, const neighbor_ranks& neighbors, const Block& sent,
                              const block_buffer& received) {
  for (std::size_t i = 0; i < neighbors.sources.size(); ++i) {
    const std::size_t source = source_in_order(neighbors, i);
    const auto number = static_cast<int>(source);
    if (neighbors.sources[source] == null_process) continue;
    steps.keep(received.type(number));
    receive_some(steps, {neighbors.sources[source]}, received[number]);
  }
  for (std::size_t i = 0; i < neighbors.destinations.size(); ++i) {
    if (neighbors.destinations[i] != null_process)
      send_some(steps, {neighbors.destinations[i]}, sent(static_cast<int>(i)));
  }
  steps.wait_all();
}

}  // namespace

void build_neighbor_allgather(schedule& steps, const neighbor_ranks& neighbors, const data_buffer& own,
                              const block_buffer& blocks) {
  steps.keep(*own.type);
  append_neighbor_exchange(steps, neighbors, [&](int) { return own.data(); }, blocks);
}

void build_neighbor_alltoall(schedule& steps, const neighbor_ranks& neighbors, const block_buffer& sent,
                             const block_buffer& received) {
  for (std::size_t i = 0; i < neighbors.destinations.size(); ++i) steps.keep(sent.type(static_cast<int>(i)));
  append_neighbor_exchange(steps, neighbors, [&](int i) { return sent[i]; }, received);
}

}  // namespace stretto::ranks
