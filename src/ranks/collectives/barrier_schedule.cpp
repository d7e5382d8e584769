// barrier_schedule.cpp - the steps of barriers, whose messages have no data.
//
// On several nodes, of which one has several ranks: up a tree to each node's leader, dissemination among the leaders,
// and down again. Else: dissemination, or up and down a tree if workers are few.
//
// Source      dissemination: Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization", 1988.
#include "ranks/collectives/algorithms.hpp"
#include "ranks/collectives/two_levels.hpp"

namespace stretto::ranks {

namespace {

void append_dissemination(schedule& steps, const team& members) {
  for (int distance = 1; distance < members.size; distance *= 2) {
    steps.receive(members.member_from(members.index, members.size - distance), {});
    steps.send(members.member_from(members.index, distance), {});
    steps.wait_all();
  }
}

/// Messages from the leaves of a binomial tree to its root, member 0, which then knows that all have come.
void append_arrival(schedule& steps, const team& members) {
  int mask = 1;
  for (; mask < members.size && (members.index & mask) == 0; mask *= 2) {
    if (members.index + mask < members.size) steps.receive(members.member(members.index + mask), {});
  }
  steps.wait_all();
  if (members.index == 0) return;
  steps.send(members.member(members.index - mask), {});
  steps.wait_all();
}

}  // namespace

void append_barrier(schedule& steps, const team& members) {
  if (!members.prefers_few_messages()) return append_dissemination(steps, members);
  append_arrival(steps, members);
  append_tree_broadcast(steps, members, {}, 0);
}

void build_barrier(schedule& steps, const collective_group& group) {
  if (group.is_inter()) return append_inter_barrier(steps, group);
  if (!two_levels::are_useful(group)) return append_barrier(steps, team_of(group));
  const two_levels levels(group);
  append_arrival(steps, levels.node());
  if (levels.is_leader()) append_dissemination(steps, levels.leaders());
  append_tree_broadcast(steps, levels.node(), {}, 0);
}

}  // namespace stretto::ranks
