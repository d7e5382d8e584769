// Objects of a checkpoint, which another job has written, are there again, and their letters.
#include "dist/where.hpp"
#include "event/event_floor.hpp"
#include "mobile/mobile_objects.hpp"
#include "sched/task_execution.hpp"

namespace stretto::mobiles {

void mobile_objects::restore_homes(const std::map<std::uint16_t, rank>& homes, std::uint64_t names_made) {
  all_restored_homes_.push_back(std::make_unique<const std::map<std::uint16_t, rank>>(homes));
  restored_homes_.store(all_restored_homes_.back().get(), std::memory_order_release);
  for (std::uint64_t made = made_; made < names_made && !made_.compare_exchange_weak(made, names_made);) continue;
}

rank mobile_objects::restored_home(std::uint16_t node) const noexcept {
  const auto* const homes = restored_homes_.load(std::memory_order_acquire);
  if (!homes) return nobody;
  const auto found = homes->find(node);
  return found == homes->end() ? nobody : found->second;
}

void mobile_objects::restore_home(object_id id, const std::string& name, rank at) {
  shard& s = shard_of(id);
  const std::scoped_lock lock(s.lock);
  entry& e = s.all[id];
  e.name = name;
  e.home = std::make_unique<home_record>();
  e.home->visited.insert(at);
  e.at = at;
  e.epoch = 1;
}

void mobile_objects::restore(object_id id, const detail::mobile_type& type, const std::string& name, void* object) {
  auto o = std::make_unique<resident>(id, &type, name, 1, self_);
  o->load.bytes = type.bytes;
  if (type.hint) o->load.hint = type.hint(object);
  shard& s = shard_of(id);
  const std::scoped_lock lock(s.lock);
  entry& e = s.all[id];
  e.name = name;
  e.at = self_;
  e.epoch = 1;
  e.here = std::move(o);
  e.here->object = object;
  join_others(*e.here);
  ++s.counted.objects;
}

void mobile_objects::restore(object_id id, const kept_letter& k) {
  sched::thread_state& t = here();
  const sched::outside_of_finishes outside(t);  // nobody's who is here
  detail::task_request request;
  request.priority = k.priority;
  const std::source_location where = dist::decode(k.where, node_);
  auto& record = static_cast<sched::task_record&>(*detail::make_task(0, detail::value_type<void>, where, request).record);
  const std::shared_ptr<far_letter> l = new_letter();
  l->kind = static_cast<std::uint64_t>(k.kind);
  l->function = k.function;
  if (k.function) l->type = letter_type_at(k.function);
  l->object = id;
  l->from = self_;
  l->priority = k.priority;
  l->where = where;
  l->name = k.name;
  l->arguments.bytes = k.arguments;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry& e = s.all[id];
    l->number = e.sent++;
    l->answered = e.answered;
    ++e.unanswered;
    ++s.counted.far;
  }
  sched::count_spawned(t);
  requests_.add(record, nullptr, l);
  send_first(l);
  record.release();  // nobody has its future
}

}  // namespace stretto::mobiles
