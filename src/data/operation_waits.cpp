#include "data/operation_waits.hpp"

#include "base/snapshot_read.hpp"
#include "data/instance_record.hpp"

namespace stretto::data {

using base::wait_kind;

std::string peek_name(const detail::instance_record* at) {
  const base::snapshot_copy<detail::instance_record> r(at);
  if (!r) return "an instance";
  const std::string name = base::snapshot_text(at->name.data(), sizeof at->name - 1);
  if (name.empty()) return "instance I" + std::to_string(r->number);
  const base::snapshot_copy<unsigned char> is_bare(&at->is_bare);  // a stale byte is not a valid bool
  return (is_bare && *is_bare ? "bytes at \"" : "instance \"") + name + '"';
}

void add_wait_edges(base::wait_walk& walk) {
  walk.others.emplace_back([&walk](const base::wait_walk::found_waiter& found) {
    const base::snapshot_copy<waiter> w(found.waiter);
    const deferred* const at = w ? deferred::owner_of(*w, found.waiter) : nullptr;
    const base::snapshot_copy<deferred> d(at);
    if (!d) return false;
    for (const auto find_report : {report_operation, report_creation, report_device_operation})
      if (auto report = find_report(*d, at)) {
        const std::uint32_t node = walk.at(wait_kind::event, report->done.raw());
        walk[node].kind = wait_kind::operation;
        walk[node].name = std::move(report->name);
        walk[node].created_at = std::move(report->made);
        walk.link(node, found.target);
        return true;
      }
    return false;
  });
}

}  // namespace stretto::data
