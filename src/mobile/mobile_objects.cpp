// mobile_objects.cpp - start, creation of objects, names of objects, and failures.
#include "mobile/mobile_objects.hpp"

#include <stretto/error.hpp>

#include <utility>

#include "dist/program_constants.hpp"
#include "event/event_floor.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::mobiles {

using sched::task_record;
using sched::thread_state;

mobile_objects::mobile_objects(dist::job* j)
    : job_(j),
      parts_(j ? std::make_unique<dist::out_of_band_parts>(*j) : nullptr),
      reply_batcher_(j ? std::make_unique<reply_batcher>(*j) : nullptr),
      quiescence_(j, [this] { return message_totals(); }),
      balancing_(j) {
  if (!j) return;
  register_alternatives(static_cast<small_message*>(nullptr));
  register_structs<object_message, broadcast_message, value_reply, value_and_end_reply, end_reply, batched_replies,
                   aggregated_replies>();
  job_->on<&mobile_objects::on_object>(this);
  job_->on_refused<&mobile_objects::on_unreceivable_message>(this);
  job_->on_refused<&mobile_objects::on_unreceivable_object>(this);
  job_->on_refused<&mobile_objects::on_unreceivable_reply<value_reply>>(this);
  job_->on_refused<&mobile_objects::on_unreceivable_reply<value_and_end_reply>>(this);
  j->add_advancing(*this);
}

mobile_objects::~mobile_objects() { clear(); }

void mobile_objects::clear() noexcept {
  for (shard& s : shards_)
    for (auto& [id, e] : s.all) {
      std::unique_ptr<local_object> gone;
      std::shared_ptr<departed_object> sent;
      {
        const std::scoped_lock lock(s.lock);  // hang reports may read the table
        gone = std::move(e.local);
        sent = std::move(e.departed);
      }
      if (!gone) continue;
      if (gone->object) gone->type->destroy(gone->object);
      for (auto& [sender, c] : gone->remote_senders()) c.drop_out_of_order();  // of senders that have failed
    }
}

void mobile_objects::start(std::uint16_t node, const object_settings& s) noexcept {
  node_ = node;
  self_ = job_ ? job_->self() : rank{0};
  settings_ = s;
  if (reply_batcher_) reply_batcher_->start(s.is_stepped);
  if (!job_ || s.balance_policy == policy::none || !s.balance_period_ms || !s.begin_balancing) return;
  measure();
  balancing_.start(s.begin_balancing, s.balance_policy, s.balance_period_ms, s.seed);
}

void mobile_objects::advance(base::thread_context& context) {
  if (!returning_objects_.empty()) take_back_rejected();
  quiescence_.advance();
  balancing_.advance(context);
}

void mobile_objects::check(object_id to, const std::source_location& where, const char* called) const {
  if (to && home_of(to) != no_rank) return;
  throw error("G01",
              std::string(called) + (to ? " was given an object of another job" : " was given a mobile that is empty"))
      .fact("called", where)
      .because(to ? "it was created by a runtime that is not a node of this job"
                  : "it was default-constructed, or the construction of its object failed")
      .remedy("keep the mobile that make_mobile returned");
}

void mobile_objects::apply_node_state(local_object& o) {
  if (is_measuring_.load()) o.measure();
  o.is_paused = is_paused_.load();
}

object_id mobile_objects::adopt(const detail::make_request& request, const detail::mobile_type& type, void* object) {
  base::require_current("make_mobile");
  const object_id id = reserve_ids(1);
  auto o = std::make_unique<local_object>(id, &type, std::string(request.name), 1, self_);
  o->load.bytes = type.bytes;
  if (type.hint) o->load.hint = type.hint(object);
  shard& s = shard_of(id);
  const std::scoped_lock lock(s.lock);
  entry& e = s.all[id];
  e.name = o->name;
  e.home = std::make_unique<home_record>();
  e.location = self_;
  e.epoch = 1;
  e.local = std::move(o);
  e.local->object = object;
  apply_node_state(*e.local);
  ++s.counters.objects;
  return id;
}

object_id mobile_objects::reserve_ids(std::size_t count) noexcept {
  return std::uint64_t{node_} << 48 | (ids_made_.fetch_add(count, std::memory_order_relaxed) + 1);
}

void mobile_objects::refuse_node(std::uint32_t node, const std::source_location& where) const {
  throw error("N02", "there is no node " + std::to_string(node))
      .fact("called", where)
      .fact("nodes", std::to_string(nodes()) + ", numbered from 0")
      .remedy("count from 0 to job_nodes() - 1");
}

object_id mobile_objects::make(const detail::make_request& request, const detail::message_type& maker,
                               detail::parcel&& arguments) {
  base::require_current("make_mobile");
  if (request.node >= nodes()) refuse_node(request.node, request.where);
  const object_id id = reserve_ids(1);
  make_reserved(id, request, maker, std::move(arguments));
  return id;
}

void mobile_objects::make_reserved(object_id id, const detail::make_request& request, const detail::message_type& maker,
                                   detail::parcel&& arguments) {
  thread_state& t = current_thread();
  auto& record = static_cast<task_record&>(*detail::make_task(0, detail::value_type<void>, request.where, {}).record);
  const std::shared_ptr<remote_message> msg = make_remote_message();
  msg->type = &maker;
  msg->action = static_cast<std::uint64_t>(message_action::make);
  msg->function = dist::encode_constant(&maker, sizeof maker);
  msg->object = id;
  msg->from = self_;
  msg->target = static_cast<rank>(request.node);
  msg->where = request.where;
  msg->name = request.name;
  msg->set_arguments(std::move(arguments));
  if (job_) msg->memory = {job_->pressure(), dist::back_pressure::kind::unanswered, msg->bytes().size()};
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry& e = s.all[id];
    e.name = request.name;
    e.home = std::make_unique<home_record>();
    e.location = msg->target;
    e.epoch = 1;
    e.messages_sent = e.unanswered = 1;
    e.home->visited.insert(e.location);
  }
  count_begun();
  sched::count_spawned(t);
  pending_replies_.add(record, nullptr, msg);
  send_first(msg);
  record.release();  // its future is not used
}

bool mobile_objects::is_here(object_id id) {
  shard& s = shard_of(id);
  const std::scoped_lock lock(s.lock);
  const entry* const e = s.find(id);
  return e && e->local;
}

std::string mobile_objects::display_name(object_id id, const std::string& name) const {
  const auto count = std::to_string(id & ((std::uint64_t{1} << 48) - 1));
  const rank made_on = home_of(id);
  const std::string home = job_ && made_on && made_on != no_rank ? job_->name_of(made_on) + ":" : std::string();
  return home + "M" + count + (name.empty() ? std::string() : " \"" + name + '"');
}

std::string mobile_objects::name_of(object_id id) {
  std::string name;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    if (const entry* const e = s.find(id)) name = e->name;
  }
  return display_name(id, name);
}

failure_ref mobile_objects::destroyed_failure(object_id id, const std::string& name) const {
  const std::string who = display_name(id, name);
  return detail::make_failure(
      std::make_exception_ptr(
          error("G02", who + " has been destroyed")
              .because("this request arrived after destroy(), which does not wait for messages of other nodes")
              .remedy("destroy an object only after all messages to it have been handled")),
      who, {});
}

failure_ref mobile_objects::node_loss_failure(object_id id, const entry* e, rank node, const char* role) const {
  const std::string who = display_name(id, e ? e->name : std::string());
  error what("G03", who + " is lost");
  what.because("it " + std::string(role) + " node " + job_->name_of(node) + ", which has failed")
      .fact("reported by", "node " + job_->name_of(self_));
  if (is_lost(node)) what.caused_by(job_->loss_of(node)->unobserved_exception());
  return detail::make_failure(std::make_exception_ptr(std::move(what)), who, {});
}

failure_ref mobile_objects::loss_failure(object_id id, const std::string& name, const failure& cause) const {
  return failure_ref::adopt(new failure(cause, display_name(id, name), cause.where()));
}

}  // namespace stretto::mobiles
