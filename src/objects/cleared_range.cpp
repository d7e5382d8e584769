#include "objects/cleared_range.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "data/data_state.hpp"
#include "objects/replica_memory.hpp"

namespace stretto::objects {

namespace {

void evict_from(objects_state& s, const execution_place& at, std::uint64_t offset, std::uint64_t bytes,
                const std::source_location& where, base::thread_context& context) {
  std::vector<std::pair<object_record*, data::replica_id>> there;
  for (object_record* const o : s.objects)
    for (const auto& r : o->replicas.replicas(at.view.index)) {
      const data::block* const held = o->storage[r.id].instance.record->held;
      if (held && held->offset < offset + bytes && offset < held->offset + held->bytes) there.emplace_back(o, r.id);
    }
  for (const auto& [o, r] : there) {
    try {
      evict(*o, r, where, context);
    } catch (const error&) {  // the next memory is full: the replica stays
    }
  }
}

}  // namespace

cleared_range::cleared_range(place memory, std::uint64_t offset, std::uint64_t bytes, const std::source_location& where,
                             base::thread_context& context)
    : in_(*state_of(*context.runtime), context) {
  objects_state& s = *state_of(*context.runtime);
  const auto at = std::ranges::find(s.execution_places, memory, &execution_place::memory);
  if (at == s.execution_places.end() || at->is_lost || at->space->is_free(offset, bytes)) return;
  evict_from(s, *at, offset, bytes, where, context);
}

}  // namespace stretto::objects
