#include "mobile/object_checkpoints.hpp"

#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "dist/program_constants.hpp"

namespace stretto::mobiles {

namespace {

/// Bytes that a file holds, with the values of attached arrays.
template <class Write>
std::vector<std::byte> written(Write&& write) {
  detail::parcel p{.bytes = {}, .are_values_kept = true, .holds_content = true};
  write(p);
  return std::move(p.bytes);
}

}  // namespace

bool object_checkpoints::try_reserve(rank by) noexcept {
  const bool is_its = pause_.try_reserve(by);
  if (homes_.is_lost(by)) release(by);
  return is_its;
}

void object_checkpoints::pause(rank by) {
  pause_.pause(by);
  directory_.for_each_local([](local_object& o) { o.is_paused = true; });
  if (homes_.is_lost(by)) resume(by);  // the node may have failed before the pause
}

/// The chosen objects advance as far as they may.
template <class Choose>
void object_checkpoints::release_where(Choose&& choose) {
  for (auto& s : directory_.shards()) {
    std::vector<object_id> all;
    {
      const std::scoped_lock lock(s.lock);
      for (auto& [id, e] : s.all)
        if (e.local) all.push_back(id);
    }
    for (const object_id id : all) {
      deferred_actions actions;
      {
        const std::scoped_lock lock(s.lock);
        object_entry* const e = s.find(id);
        if (e && e->local && choose(*e->local)) {
          e->local->may_migrate_while_paused = true;
          local_.advance(*e->local, actions);
          e->local->may_migrate_while_paused = false;
        }
      }
      runner_.run(actions);
    }
  }
}

void object_checkpoints::resume(rank by) {
  if (!pause_.try_resume(by)) return;
  release_where([](local_object& o) {
    o.is_paused = false;
    o.released_messages = 0;
    return true;
  });
}

pause_state object_checkpoints::current_state() {
  pause_state all{.deferred_sends = counters_.deferred_sends(), .received = counters_.protocol_messages_received()};
  directory_.for_each([&](object_id, object_entry& e) {
    all.unsettled += e.parked.size();
    if (e.home)
      all.unsettled += e.home->blocked.size() + e.home->pinned.size() + e.home->is_moving +
                       (e.home->requested_destination != no_rank);
    if (!e.local) return true;
    local_object& o = *e.local;
    all.busy_objects += !o.is_free();
    all.unsettled += o.is_leaving + o.local_sender().out_of_order.size();
    for (const auto& [sender, c] : o.remote_senders()) all.unsettled += c.out_of_order.size();
    return true;
  });
  const message_counts counts = counters_.totals(directory_);
  all.messages = counts.begun + counts.ended;
  all.sent = counters_.protocol_messages_sent();
  return all;
}

std::vector<awaited_message> object_checkpoints::awaited_messages() {
  std::vector<awaited_message> found;
  for (const auto& msg : replies_.awaited()) found.push_back({msg->object, msg->number, homes_.self()});
  directory_.for_each_local([&](local_object& o) {
    for (message* msg = o.waiting().first; msg; msg = msg->next)
      if (!msg->is_remote && record_of(*msg).waiters()) found.push_back({o.id, msg->number, homes_.self()});
  });
  return found;
}

void object_checkpoints::release_messages(const std::vector<awaited_message>& all) {
  std::map<object_id, std::set<std::pair<rank, std::uint64_t>>> by_object;
  for (const awaited_message& w : all) by_object[w.object].emplace(w.from, w.number);
  release_where([&](local_object& o) {
    const auto found = by_object.find(o.id);
    std::uint32_t position = 0;
    if (found != by_object.end())
      for (message* msg = o.waiting().first; msg; msg = msg->next) {
        ++position;
        if (found->second.contains({sender_of(*msg, homes_.self()), std::uint64_t{msg->number}}))
          o.released_messages = position;
      }
    return true;
  });
}

void object_checkpoints::release_all_messages() {
  release_where([](local_object& o) {
    o.released_messages = 0;
    for (message* msg = o.waiting().first; msg; msg = msg->next) ++o.released_messages;
    return true;
  });
}

std::vector<saved_object> object_checkpoints::save_objects() {
  struct found {
    local_object* what;
    std::vector<message*> messages;
  };
  std::vector<found> all;
  directory_.for_each_local([&](local_object& o) {
    if (!o.object || !o.is_free()) return;  // a task constructs it
    found f{&o, {}};
    for (message* msg = o.waiting().first; msg; msg = msg->next) f.messages.push_back(msg);
    all.push_back(std::move(f));
  });
  // While the node is paused, none of these objects begins a handler, ends or migrates.
  std::vector<saved_object> kept;
  for (const found& f : all) {
    local_object& o = *f.what;
    saved_object k{
        .id = o.id, .type = dist::encode_constant(o.type, sizeof *o.type), .type_name = o.type->name, .name = o.name};
    k.content = written([&](detail::parcel& p) { o.type->write(o.object, p); });
    for (message* const msg : f.messages) k.messages.push_back(save_message(*msg));
    kept.push_back(std::move(k));
  }
  return kept;
}

saved_message object_checkpoints::save_message(message& msg) const {
  saved_message m{.action = action_of(msg), .handler = msg.type ? msg.type->signature : ""};
  if (!msg.is_remote) {
    const sched::task_record& r = record_of(msg);
    m.priority = r.priority;
    m.function = msg.type ? dist::encode_constant(msg.type, sizeof *msg.type) : 0;
    m.where = dist::encode(r.where, homes_.node());
    if (r.name) m.name = r.name;
    if (msg.type) m.arguments = written([&](detail::parcel& p) { msg.type->write_arguments(&msg, p); });
    return m;
  }
  auto& remote = static_cast<remote_message&>(msg);
  m.priority = remote.priority;
  m.function = remote.function;
  m.where = dist::encode(remote.where, homes_.node());
  m.name = remote.name;
  // Attached arrays are read now, with their data, and the message itself must then hold the data, too.
  if (msg.type && msg.type->keep_arguments) {
    field_reader in(remote.bytes());
    remote.set_arguments({.bytes = written([&](detail::parcel& p) { msg.type->keep_arguments(in, p); })});
  }
  m.arguments.assign(remote.bytes().begin(), remote.bytes().end());
  return m;
}

}  // namespace stretto::mobiles
