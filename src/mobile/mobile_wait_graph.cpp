// mobile_wait_graph.cpp - mobile objects in hang reports: which task waits for which object or message. Defines the
// functions of several classes that add their part of the wait graph.
//
// The hang report of a job joins the graphs of its nodes: nodes of the graph with the same label (`everywhere`) are
// one. A message has the label "message RANK:REQUEST" of its sender, an object "object ID". On the sender a task waits
// for the message; on the receiver the message waits for the object, and the object for the handler that uses it.
#include <fmt/format.h>

#include <map>

#include "base/snapshot_read.hpp"
#include "event/event_wait_graph.hpp"
#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

using base::wait_kind;

namespace {

std::string message_label(rank from, std::uint64_t request) { return fmt::format("message {}:{}", from, request); }

/// The node of the wait graph for a message that waits here. A local message is a task.
std::uint32_t node_of(message& msg, base::wait_walk& walk) {
  if (!msg.is_remote) return walk.at(wait_kind::task, detail::bits_of_record(&record_of(msg)));
  const auto& remote = static_cast<const remote_message&>(msg);
  const std::uint32_t node = walk.at(wait_kind::unknown, reinterpret_cast<std::uintptr_t>(&msg));
  walk[node].everywhere = message_label(remote.from, remote.request);
  return node;
}

}  // namespace

void pending_replies::add_wait_edges(rank self, base::wait_walk& walk) {
  all_.for_each([&](dist::call_number number, const request& r) {
    if (walk.is_full()) return;
    // Once the value has come, no task waits any more, but a finish scope, for what the handler has spawned.
    const std::uint32_t node = r.record ? walk.at(wait_kind::task, detail::bits_of_record(r.record))
                                        : walk.at(wait_kind::unknown, reinterpret_cast<std::uintptr_t>(&r));
    walk[node].everywhere = message_label(self, base::value_of(number));
    if (!r.record) walk.link(walk.at(wait_kind::finish, reinterpret_cast<std::uintptr_t>(r.scope)), node);
  });
}

void broadcast_table::add_wait_edges(rank self, base::wait_walk& walk) {
  const std::scoped_lock lock(lock_);
  for (const auto& [first, m] : all_)
    for (const auto& e : m->elements) {
      if (walk.is_full()) return;
      if (e.state == pending_broadcast::element::ended) continue;
      const std::uint32_t node = walk.at(wait_kind::unknown, reinterpret_cast<std::uintptr_t>(&e));
      walk[node].everywhere = message_label(self, m->request(e));
      walk.link(e.is_open() ? walk.at(wait_kind::task, detail::bits_of_record(&m->record))
                            : walk.at(wait_kind::finish, reinterpret_cast<std::uintptr_t>(m->scope)),
                node);
    }
}

void mobile_objects::add_wait_edges(base::wait_walk& walk) {
  replies_.add_wait_edges(walk);
  directory_.for_each([&](object_id id, object_entry& e) {
    if (walk.is_full()) return false;
    if (!e.local && e.parked.empty()) return true;
    if (e.local && e.local->is_free() && e.local->waiting().is_empty() && e.local->pending_migrations().empty())
      return true;
    const std::uint32_t object = walk.at(wait_kind::object, base::value_of(id));
    walk[object].everywhere = fmt::format("object {:x}", base::value_of(id));
    for (const auto& msg : e.parked) walk.link(node_of(*msg, walk), object);
    if (!e.local) return true;
    walk[object].kind = wait_kind::object;
    walk[object].name = "mobile object " + failures_.display_name(id, e.name);
    for (message* msg = e.local->waiting().first; msg && !walk.is_full(); msg = msg->next)
      walk.link(node_of(*msg, walk), object);
    for (message* const msg : e.local->pending_migrations()) walk.link(node_of(*msg, walk), object);
    return true;
  });
}

void mobile_objects::add_handler_edges(base::wait_walk& walk) {
  std::map<const void*, object_id> awaited_objects;  // by address
  directory_.for_each_local([&](const local_object& o) {
    if (walk.has(wait_kind::object, base::value_of(o.id)))
      awaited_objects.emplace(static_cast<const detail::local_object_base*>(&o), o.id);
  });
  const auto link_if_object = [&](const void* at, std::uint32_t task) {
    const auto found = awaited_objects.find(at);
    if (found != awaited_objects.end()) walk.link(walk.at(wait_kind::object, base::value_of(found->second)), task);
    return found != awaited_objects.end();
  };
  // Any task may be a handler: its body says so if it names one of these objects.
  for (const auto& [bits, node] : walk.all(wait_kind::task)) {
    if (walk[node].kind != wait_kind::task) continue;
    const handler_execution::location handler =
        handlers_.read_location(static_cast<const std::byte*>(detail::record_in(bits)) + detail::storage_offset);
    if (!link_if_object(handler.local, node) && link_if_object(handler.remote, node))
      walk[node].everywhere = message_label(handler.from, handler.request);
  }
}

}  // namespace stretto::mobiles
