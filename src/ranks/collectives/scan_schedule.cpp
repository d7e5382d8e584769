// scan_schedule.cpp - prefix reductions: distances that double, or from rank to rank where workers are few.
//
// Source      Hillis, Steele, "Data parallel algorithms", 1986: each round sends to one rank and receives from one.
#include "ranks/collectives/algorithms.hpp"

namespace stretto::ranks {

namespace {

constexpr std::int64_t largest_in_chain = 8 * 1024;  // bytes

/// Combines the values of all lower members from the left into `values`, in place. Members below `first` take no part.
void append_scan(schedule& steps, const team& members, int first, void* values, std::int64_t count) {
  const datatype& type = steps.operation_of_steps().type();
  const int size = members.size - first, index = members.index - first;
  const data_part current = element_range(type, values, 0, count);
  void* arriving = index > 0 ? steps.temporary(count, type) : nullptr;
  const auto receive_from = [&](int i) {
    steps.receive(members.member(first + i), element_range(type, arriving, 0, count));
  };
  if (members.prefers_few_messages() && current.bytes() <= largest_in_chain) {
    if (index > 0) {
      receive_from(index - 1);
      steps.wait_all();
      steps.combine(arriving, values, count);
    }
    if (index + 1 < size) steps.send(members.member(first + index + 1), current);
    return steps.wait_all();
  }
  for (int distance = 1; distance < size; distance *= 2) {
    if (index >= distance) receive_from(index - distance);
    if (index + distance < size) steps.send(members.member(first + index + distance), current);
    steps.wait_all();
    if (index >= distance) steps.combine(arriving, values, count);
  }
}

}  // namespace

void build_scan(schedule& steps, const collective_group& group, const reduction_buffers& buffers) {
  steps.set_operation(*buffers.combined_by, *buffers.type);
  if (buffers.count == 0) return;
  if (!buffers.is_in_place()) {
    steps.copy(element_range(*buffers.type, buffers.out, 0, buffers.count),
               element_range(*buffers.type, buffers.in, 0, buffers.count));
  }
  append_scan(steps, team_of(group), 0, buffers.out, buffers.count);
}

/// Each rank gives its values to the next one; those are scanned.
void build_exscan(schedule& steps, const collective_group& group, const reduction_buffers& buffers) {
  steps.set_operation(*buffers.combined_by, *buffers.type);
  if (buffers.count == 0) return;
  const datatype& type = *buffers.type;
  const auto part = [&](const void* values) { return element_range(type, values, 0, buffers.count); };
  void* arriving = buffers.out;
  if (buffers.is_in_place() && group.rank > 0) arriving = steps.temporary(buffers.count, type);
  if (group.rank > 0) steps.receive({group.rank - 1}, part(arriving));
  if (group.rank + 1 < group.size) steps.send({group.rank + 1}, part(buffers.input()));
  steps.wait_all();
  if (group.rank == 0) return;
  if (arriving != buffers.out) steps.copy(part(buffers.out), part(arriving));
  append_scan(steps, team_of(group), 1, buffers.out, buffers.count);
}

}  // namespace stretto::ranks
