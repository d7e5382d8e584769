#include "mobile/object_creation.hpp"

#include <stretto/error.hpp>

#include <mutex>
#include <utility>

#include "dist/program_constants.hpp"
#include "event/event_floor.hpp"
#include "sched/scope_counting.hpp"
#include "sched/task_execution.hpp"

namespace stretto::mobiles {

using sched::task_record;
using sched::thread_state;

namespace {

/// A local object that has not moved.
std::unique_ptr<local_object> new_object(object_id id, const detail::mobile_type& type, const std::string& name,
                                         const void* object, rank self) {
  auto o = std::make_unique<local_object>(id, &type, name, first_epoch, self);
  o->load.bytes = type.bytes;
  if (type.hint) o->load.hint = type.hint(object);
  return o;
}

/// The record of a task whose future is not used.
task_record& record_without_future(const std::source_location& where, const detail::task_request& request) {
  return static_cast<task_record&>(*detail::make_task(0, detail::value_type<void>, where, request).record);
}

}  // namespace

void object_creation::add_home_record(object_entry& e, const std::string& name, rank at) {
  e.name = name;
  e.home = std::make_unique<home_record>();
  e.home->visited.insert(at);
  e.place(at, first_epoch);
}

object_id object_creation::adopt(const detail::make_request& request, const detail::mobile_type& type, void* object) {
  base::require_current("make_mobile");
  const object_id id = homes_.reserve_ids(1);
  auto o = new_object(id, type, std::string(request.name), object, homes_.self());
  auto& s = directory_.shard_of(id);
  const std::scoped_lock lock(s.lock);
  s.all[id].home = std::make_unique<home_record>();
  local_.place_new(s, std::move(o), object);
  return id;
}

void object_creation::refuse_node(std::uint32_t node, const std::source_location& where) const {
  throw error("N02", "there is no node " + std::to_string(node))
      .fact("called", where)
      .fact("nodes", std::to_string(homes_.nodes()) + ", numbered from 0")
      .remedy("count from 0 to job_nodes() - 1");
}

object_id object_creation::make(const detail::make_request& request, const detail::message_type& maker,
                                detail::parcel&& arguments) {
  base::require_current("make_mobile");
  if (request.node >= homes_.nodes()) refuse_node(request.node, request.where);
  const object_id id = homes_.reserve_ids(1);
  make_reserved(id, request, maker, std::move(arguments));
  return id;
}

void object_creation::make_reserved(object_id id, const detail::make_request& request,
                                    const detail::message_type& maker, detail::parcel&& arguments) {
  thread_state& t = current_thread();
  task_record& record = record_without_future(request.where, {});
  const std::shared_ptr<remote_message> msg = make_remote_message();
  msg->type = &maker;
  msg->action = static_cast<std::uint64_t>(message_action::make);
  msg->function = dist::encode_constant(&maker, sizeof maker);
  msg->object = id;
  msg->from = homes_.self();
  msg->target = static_cast<rank>(request.node);
  msg->where = request.where;
  msg->name = request.name;
  msg->set_arguments(std::move(arguments));
  if (job_) msg->memory = {job_->pressure(), dist::back_pressure::kind::unanswered, msg->bytes().size()};
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry& e = s.all[id];
    add_home_record(e, msg->name, msg->target);
    e.messages_sent = e.unanswered = 1;
  }
  counters_.message_begun();
  sched::count_spawned(t);
  replies_.add(record, nullptr, msg);
  router_.send_first(msg);
  record.release();
}

void object_creation::restore_home_record(object_id id, const std::string& name, rank at) {
  auto& s = directory_.shard_of(id);
  const std::scoped_lock lock(s.lock);
  add_home_record(s.all[id], name, at);
}

void object_creation::restore_object(object_id id, const detail::mobile_type& type, const std::string& name,
                                     void* object) {
  auto o = new_object(id, type, name, object, homes_.self());
  auto& s = directory_.shard_of(id);
  const std::scoped_lock lock(s.lock);
  local_.place_new(s, std::move(o), object);
}

void object_creation::restore_message(object_id id, const saved_message& k) {
  thread_state& t = current_thread();
  const sched::outside_of_finishes outside(t);  // no finish of this node waits for the message
  detail::task_request request;
  request.priority = k.priority;
  const std::source_location where = dist::decode(k.where, homes_.node());
  task_record& record = record_without_future(where, request);
  const std::shared_ptr<remote_message> msg = make_remote_message();
  msg->action = static_cast<std::uint64_t>(k.action);
  msg->function = k.function;
  if (k.function) msg->type = message_type_at(k.function);
  msg->object = id;
  msg->from = homes_.self();
  msg->priority = k.priority;
  msg->where = where;
  msg->name = k.name;
  msg->arguments.bytes = k.arguments;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    s.all[id].number_message(*msg);
    ++s.counters.far;
  }
  sched::count_spawned(t);
  replies_.add(record, nullptr, msg);
  router_.send_first(msg);
  record.release();
}

}  // namespace stretto::mobiles
