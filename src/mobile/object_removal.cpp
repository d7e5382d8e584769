#include "mobile/object_removal.hpp"

#include <mutex>
#include <utility>

namespace stretto::mobiles {

void object_removal::destroy(local_object& gone, message_origin of) noexcept {
  if (gone.object) gone.type->destroy(gone.object);
  deferred_actions actions;
  const object_id id = gone.id;
  std::unique_ptr<local_object> o;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry& e = *s.find(id);
    if (of == message_origin::this_node) ++s.ended;
    o = std::move(e.local);
    --s.counters.objects;
    local_objects::fail_all_messages(*o, e, failures_.destroyed(id, o->name), actions);
    erase_entry(s, id, e, actions);
  }
  for (const auto& [sender, c] : o->remote_senders())
    if (sender != homes_.home_of(id)) actions.send.push_back({sender, object_destroyed{id}});
  if (homes_.home_of(id) != homes_.self()) actions.send.push_back({homes_.home_of(id), object_destroyed{id}});
  runner_.run(actions);
  quiescence_.check_if_single_node();
}

void object_removal::construction_failed(local_object& gone, const failure_ref& cause) {
  deferred_actions actions;
  const object_id id = gone.id;
  std::unique_ptr<local_object> o;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry& e = *s.find(id);
    o = std::move(e.local);
    --s.counters.objects;
    e.loss = failures_.of_object(id, o->name, *cause.get());
    local_objects::fail_all_messages(*o, e, e.loss, actions);
  }
  if (homes_.home_of(id) != homes_.self()) actions.send.push_back({homes_.home_of(id), object_failed{id, cause}});
  runner_.run(actions);
}

void object_removal::on(rank, const object_destroyed& m) {
  const object_id id = m.object;
  deferred_actions actions;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry* const e = s.find(id);
    if (!e || e->local) return;
    // The home node cannot reach the source of the migration, which has destroyed the object: notify it.
    if (e->awaited_from != no_rank) actions.send.push_back({homes_.home_of(id), object_destroyed{id}});
    erase_entry(s, id, *e, actions);
  }
  runner_.run(actions);
}

void object_removal::erase_entry(object_directory::shard& s, object_id id, object_entry& e,
                                 deferred_actions& actions) const {
  release_parked(e, actions);
  if (e.home) {
    release_blocked(*e.home, actions);
    for (const rank r : e.home->visited)
      if (r != homes_.self() && !homes_.is_lost(r)) actions.send.push_back({r, object_destroyed{id}});
  }
  actions.drop.push_back(std::move(e.departed));
  s.all.erase(id);
}

}  // namespace stretto::mobiles
