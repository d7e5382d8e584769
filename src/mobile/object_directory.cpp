#include "mobile/object_directory.hpp"

#include <algorithm>

namespace stretto::mobiles {

bool object_directory::is_here(object_id id) {
  shard& s = shard_of(id);
  const std::scoped_lock lock(s.lock);
  const object_entry* const e = s.find(id);
  return e && e->local;
}

std::string object_directory::name_of(object_id id) {
  shard& s = shard_of(id);
  const std::scoped_lock lock(s.lock);
  const object_entry* const e = s.find(id);
  return e ? e->name : std::string();
}

std::uint64_t object_directory::messages_begun() noexcept {
  std::uint64_t all = 0;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    all += s.counters.near + s.counters.far;
  }
  return all;
}

std::uint64_t object_directory::messages_ended() noexcept {
  std::uint64_t all = 0;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    all += s.ended;
  }
  return all;
}

mobile_statistics object_directory::statistics() {
  mobile_statistics all;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    all.objects += s.counters.objects;
    all.near += s.counters.near;
    all.far += s.counters.far;
    all.passed_on += s.counters.passed_on;
    all.most_hops = std::max(all.most_hops, s.counters.most_hops);
    all.moved_in += s.counters.moved_in;
    all.moved_out += s.counters.moved_out;
  }
  return all;
}

void object_directory::clear() noexcept {
  for (shard& s : shards_)
    for (auto& [id, e] : s.all) {
      std::unique_ptr<local_object> local;
      std::shared_ptr<departed_object> departed;  // destroyed after the lock is released
      {
        const std::scoped_lock lock(s.lock);  // hang reports may read the table
        local = std::move(e.local);
        departed = std::move(e.departed);
      }
      if (!local) continue;
      if (local->object) local->type->destroy(local->object);
      // Only early messages can be left, of senders that have failed: the messages before them will not arrive.
      for (auto& [sender, state] : local->remote_senders()) state.drop_out_of_order();
    }
}

}  // namespace stretto::mobiles
