#include "dist/operation_steps.hpp"

#include "base/snapshot_read.hpp"
#include "data/operation_waits.hpp"

namespace stretto::dist {

using base::wait_kind;

std::uint32_t node_of_posted(base::wait_walk& walk, const detail::instance_handle& posted) {
  const auto number = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(posted.record)) >> 1;
  const std::uint64_t node = posted.key >> 48;
  const std::uint32_t at = walk.at(wait_kind::request, number ^ node << 48);
  walk[at].everywhere = "posted " + std::to_string(node) + ' ' + std::to_string(number);
  return at;
}

bool add_step(const base::wait_walk::found_waiter& found, rank self, base::wait_walk& walk) {
  const base::snapshot_copy<waiter> w(found.waiter);
  if (!w || w->fire != step_waiter::fire_it) return false;
  const base::snapshot_copy<step_waiter> copied(
      static_cast<const step_waiter*>(static_cast<const waiter*>(found.waiter)));
  if (!copied || !copied->step.of.number) return true;  // no reply is wanted
  const operation_step& step = copied->step;
  std::uint32_t node = walk.at(wait_kind::event, step.of.number);  // the event of the requester
  // The requester names its own part by its event.
  if (step.verb && (step.of.requester != self || step.posted.record)) {
    const std::uint32_t part = walk.at(wait_kind::operation, reinterpret_cast<std::uintptr_t>(found.waiter));
    walk[part].kind = wait_kind::operation;
    walk[part].name = base::snapshot_text(step.verb) + (step.way == operation_step::direction::from ? " of " : " to ") +
                      data::peek_name(step.instance);
    walk.link(node, part);
    if (step.posted.record) walk.link(node_of_posted(walk, step.posted), part);
    node = part;
  }
  walk[node].pending_on = base::snapshot_text(step.pending_on);
  walk.link(node, found.target);
  return true;
}

}  // namespace stretto::dist
