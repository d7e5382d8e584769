// checkpoint_restore.cpp - restoring the objects of a checkpoint of another job, and their waiting messages.
#include "dist/program_constants.hpp"
#include "event/event_floor.hpp"
#include "mobile/mobile_objects.hpp"
#include "sched/task_execution.hpp"

namespace stretto::mobiles {

void mobile_objects::restore_home_nodes(const std::map<std::uint16_t, rank>& homes, std::uint64_t names_made) {
  all_restored_home_nodes_.push_back(std::make_unique<const std::map<std::uint16_t, rank>>(homes));
  restored_home_nodes_.store(all_restored_home_nodes_.back().get(), std::memory_order_release);
  for (std::uint64_t made = ids_made_; made < names_made && !ids_made_.compare_exchange_weak(made, names_made);)
    continue;
}

rank mobile_objects::restored_home_node(std::uint16_t node) const noexcept {
  const auto* const homes = restored_home_nodes_.load(std::memory_order_acquire);
  if (!homes) return no_rank;
  const auto found = homes->find(node);
  return found == homes->end() ? no_rank : found->second;
}

void mobile_objects::restore_home_record(object_id id, const std::string& name, rank at) {
  shard& s = shard_of(id);
  const std::scoped_lock lock(s.lock);
  entry& e = s.all[id];
  e.name = name;
  e.home = std::make_unique<home_record>();
  e.home->visited.insert(at);
  e.location = at;
  e.epoch = 1;
}

void mobile_objects::restore_object(object_id id, const detail::mobile_type& type, const std::string& name,
                                    void* object) {
  auto o = std::make_unique<local_object>(id, &type, name, 1, self_);
  o->load.bytes = type.bytes;
  if (type.hint) o->load.hint = type.hint(object);
  shard& s = shard_of(id);
  const std::scoped_lock lock(s.lock);
  entry& e = s.all[id];
  e.name = name;
  e.location = self_;
  e.epoch = 1;
  e.local = std::move(o);
  e.local->object = object;
  apply_node_state(*e.local);
  ++s.counters.objects;
}

void mobile_objects::restore_message(object_id id, const saved_message& k) {
  sched::thread_state& t = current_thread();
  const sched::outside_of_finishes outside(t);  // no finish of this node waits for the message
  detail::task_request request;
  request.priority = k.priority;
  const std::source_location where = dist::decode(k.where, node_);
  auto& record =
      static_cast<sched::task_record&>(*detail::make_task(0, detail::value_type<void>, where, request).record);
  const std::shared_ptr<remote_message> msg = make_remote_message();
  msg->action = static_cast<std::uint64_t>(k.action);
  msg->function = k.function;
  if (k.function) msg->type = message_type_at(k.function);
  msg->object = id;
  msg->from = self_;
  msg->priority = k.priority;
  msg->where = where;
  msg->name = k.name;
  msg->arguments.bytes = k.arguments;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry& e = s.all[id];
    msg->number = e.messages_sent++;
    msg->answered_below = e.answered_below;
    ++e.unanswered;
    ++s.counters.far;
  }
  sched::count_spawned(t);
  pending_replies_.add(record, nullptr, msg);
  send_first(msg);
  record.release();  // its future is not used
}

}  // namespace stretto::mobiles
