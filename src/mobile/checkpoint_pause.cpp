// checkpoint_pause.cpp - pausing a node for a checkpoint: running handlers end, messages and objects under way arrive,
// and the objects are saved.
//
// A handler may wait for the result of another one. When nothing else makes progress, the messages that somebody waits
// for are released, with those queued before them. Then the node is paused again, and messages that these handlers send
// wait. So an exchange of messages that nobody waits for does not go on during the pause.
#include "dist/program_constants.hpp"
#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

bool mobile_objects::is_handler(sched::task_record& r) {
  const handler_location is = read_handler_location(r.storage());
  if (!is.local && !is.remote) return false;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (const auto& [id, e] : s.all)
      if (e.local && (e.local.get() == is.local || e.local.get() == is.remote)) return true;
  }
  return false;
}

bool mobile_objects::try_reserve_checkpoints(rank by) noexcept {
  rank none = no_rank;
  const bool is_its = checkpoint_owner_.compare_exchange_strong(none, by);
  if (is_lost(by)) release_checkpoints(by);
  return is_its;
}

void mobile_objects::release_checkpoints(rank by) noexcept { checkpoint_owner_.compare_exchange_strong(by, no_rank); }

void mobile_objects::pause_for_checkpoint(rank by) {
  paused_by_ = by;
  is_paused_ = true;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all)
      if (e.local) e.local->is_paused = true;
  }
  if (is_lost(by)) resume_after_checkpoint(by);  // the node may have failed before the pause
}

void mobile_objects::resume_after_checkpoint(rank by) {
  if (!paused_by_.compare_exchange_strong(by, no_rank)) return;
  is_paused_ = false;
  release_messages_where([](local_object& o) {
    o.is_paused = false;
    o.released_messages = 0;
    return true;
  });
}

/// The chosen objects advance as far as they may.
template <class Choose>
void mobile_objects::release_messages_where(Choose&& choose) {
  for (shard& s : shards_) {
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
        entry* const e = s.find(id);
        if (e && e->local && choose(*e->local)) {
          e->local->may_migrate_while_paused = true;
          advance_object(*e->local, actions);
          e->local->may_migrate_while_paused = false;
        }
      }
      run(actions);
    }
  }
}

pause_state mobile_objects::current_pause_state() {
  pause_state all{.deferred_sends = deferred_sends_.load(), .received = protocol_messages_received_.load()};
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      all.unsettled += e.parked.size();
      if (e.home)
        all.unsettled += e.home->blocked.size() + e.home->pinned.size() + e.home->is_moving +
                         (e.home->requested_destination != no_rank);
      if (!e.local) continue;
      local_object& o = *e.local;
      all.busy_objects += !o.is_free();
      all.unsettled += o.is_leaving + o.local_sender().out_of_order.size();
      for (const auto& [sender, c] : o.remote_senders()) all.unsettled += c.out_of_order.size();
    }
  }
  const message_counts counts = message_totals();
  all.messages = counts.begun + counts.ended;
  all.sent = protocol_messages_sent_;
  return all;
}

std::vector<awaited_message> mobile_objects::awaited_messages() {
  std::vector<awaited_message> found;
  auto sent = pending_replies_.awaited();
  broadcasts_.add_unanswered(0, sent);
  for (const auto& msg : sent) found.push_back({msg->object, msg->number, self_});
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      if (!e.local) continue;
      for (message* msg = e.local->waiting().first; msg; msg = msg->next)
        if (!msg->is_remote && record_of(*msg).waiters()) found.push_back({id, msg->number, self_});
    }
  }
  return found;
}

void mobile_objects::release_messages(const std::vector<awaited_message>& all) {
  std::map<object_id, std::set<std::pair<rank, std::uint64_t>>> by_object;
  for (const awaited_message& w : all) by_object[w.object].emplace(w.from, w.number);
  release_messages_where([&](local_object& o) {
    const auto found = by_object.find(o.id);
    std::uint32_t position = 0;
    if (found != by_object.end())
      for (message* msg = o.waiting().first; msg; msg = msg->next) {
        ++position;
        if (found->second.contains({sender_of(*msg, self_), std::uint64_t{msg->number}}))
          o.released_messages = position;
      }
    return true;
  });
}

void mobile_objects::release_all_messages() {
  release_messages_where([](local_object& o) {
    o.released_messages = 0;
    for (message* msg = o.waiting().first; msg; msg = msg->next) ++o.released_messages;
    return true;
  });
}

std::vector<saved_object> mobile_objects::save_objects() {
  struct found {
    local_object* what;
    std::vector<message*> messages;
  };
  std::vector<found> all;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      if (!e.local || !e.local->object || !e.local->is_free()) continue;  // a task constructs it
      found f{e.local.get(), {}};
      for (message* msg = e.local->waiting().first; msg; msg = msg->next) f.messages.push_back(msg);
      all.push_back(std::move(f));
    }
  }
  // While the node is paused, none of these objects begins a handler, ends or migrates.
  std::vector<saved_object> kept;
  for (const found& f : all) {
    local_object& o = *f.what;
    saved_object k{
        .id = o.id, .type = dist::encode_constant(o.type, sizeof *o.type), .type_name = o.type->name, .name = o.name};
    const auto write = [](auto&& into) {
      detail::parcel p{.bytes = {}, .are_values_kept = true, .holds_content = true};
      into(p);
      return std::move(p.bytes);
    };
    k.content = write([&](detail::parcel& p) { o.type->write(o.object, p); });
    for (message* const msg : f.messages) {
      saved_message m{.action = action_of(*msg), .handler = msg->type ? msg->type->signature : ""};
      if (!msg->is_remote) {
        const sched::task_record& r = record_of(*msg);
        m.priority = r.priority;
        m.function = msg->type ? dist::encode_constant(msg->type, sizeof *msg->type) : 0;
        m.where = dist::encode(r.where, node_);
        if (r.name) m.name = r.name;
        if (msg->type) m.arguments = write([&](detail::parcel& p) { msg->type->write_arguments(msg, p); });
      } else {
        auto& remote = static_cast<remote_message&>(*msg);
        m.priority = remote.priority;
        m.function = remote.function;
        m.where = dist::encode(remote.where, node_);
        m.name = remote.name;
        // Attached arrays are read now, with their data, and the message itself must then hold the data, too.
        if (msg->type && msg->type->keep_arguments) {
          field_reader in(remote.bytes());
          remote.set_arguments({.bytes = write([&](detail::parcel& p) { msg->type->keep_arguments(in, p); })});
        }
        m.arguments.assign(remote.bytes().begin(), remote.bytes().end());
      }
      k.messages.push_back(std::move(m));
    }
    kept.push_back(std::move(k));
  }
  return kept;
}

std::map<std::uint16_t, rank> mobile_objects::home_nodes() const {
  std::map<std::uint16_t, rank> all;
  if (const auto* const restored = restored_home_nodes_.load(std::memory_order_acquire)) all = *restored;
  if (!job_) all[node_] = 0;
  for (rank r = 0; job_ && r < job_->nodes(); ++r) all[job_->node_of(r)] = r;
  return all;
}

}  // namespace stretto::mobiles
