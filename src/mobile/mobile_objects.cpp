#include "mobile/mobile_objects.hpp"

#include <stretto/error.hpp>

#include <iterator>
#include <utility>

#include "dist/where.hpp"
#include "event/event_floor.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::mobiles {

using sched::task_record;
using sched::thread_state;

mobile_objects::mobile_objects(dist::job* j, dist::failures* causes)
    : job_(j), causes_(causes), parts_(j ? std::make_unique<dist::parts_ahead>(*j) : nullptr),
      short_answers_(j ? std::make_unique<short_answers>(*j) : nullptr), quiet_(j, [this] { return letters(); }), balancing_(j) {
  if (!j) return;
  listen(std::make_index_sequence<says>());
  j->add_advancing(*this);
}

template <std::size_t... n>
void mobile_objects::listen(std::index_sequence<n...>) {
  constexpr const char* names[] = {"letter", "value", "value_and_end", "end", "ran", "at", "received", "leave", "go", "stay", "back", "object",
                                   "arrived", "expected", "is_it_there", "never", "gone", "lost", "dead", "again", "is_it_sent", "not_sent",
                                   "recall", "has_left", "taken", "no_room", "all_ended", "letters", "answers"};
  static_assert(std::size(names) == says);
  ((kinds_[n] = job_->on<&mobile_objects::on_said<static_cast<say>(n)>>(std::string("mobile.") + names[n], this)), ...);
  const auto kind = [&](say what) { return kinds_[static_cast<std::size_t>(what)]; };
  job_->on_refused<&mobile_objects::on_refused_letter>(kind(say::letter), this);
  job_->on_refused<&mobile_objects::on_refused_object>(kind(say::object), this);
  job_->on_refused<&mobile_objects::on_refused_answer<outcome::value>>(kind(say::value), this);
  job_->on_refused<&mobile_objects::on_refused_answer<outcome::value_and_end>>(kind(say::value_and_end), this);
}

mobile_objects::~mobile_objects() { clear(); }

void mobile_objects::clear() noexcept {
  for (shard& s : shards_)
    for (auto& [id, e] : s.all) {
      std::unique_ptr<resident> gone;
      std::shared_ptr<sent_object> sent;
      {
        const std::scoped_lock lock(s.lock);  // reports look on
        gone = std::move(e.here);
        sent = std::move(e.sent_away);
      }
      if (!gone) continue;
      if (gone->object) gone->type->destroy(gone->object);
      for (auto& [sender, c] : gone->others()) c.drop_held();  // of who was lost
    }
}

void mobile_objects::serve(std::uint16_t node, const object_settings& s) noexcept {
  node_ = node;
  self_ = job_ ? job_->self() : rank{0};
  settings_ = s;
  if (short_answers_) short_answers_->serve(s.is_stepped);
  if (!job_ || s.balances_by == policy::none || !s.balances_each_ms || !s.balances) return;
  measure();
  balancing_.start(s.balances, s.balances_by, s.balances_each_ms, s.seed);
}

void mobile_objects::advance(base::thread_context& context) {
  if (!coming_back_.empty()) take_back_waiting();
  quiet_.advance();
  balancing_.advance(context);
}

void mobile_objects::check(object_id to, const std::source_location& where, const char* called) const {
  if (to && home_of(to) != nobody) return;
  throw error("G01", std::string(called) + (to ? " was given an object of another job" : " was given a mobile that names no object"))
      .fact("called", where)
      .because(to ? "its name was made by a runtime that is no node of this job" : "it was default-made, or its object failed to be made")
      .remedy("keep the name that make_mobile returned");
}

void mobile_objects::join_others(resident& o) {
  if (measures_.load()) o.measure();
  o.is_held = is_held_.load();
}

object_id mobile_objects::adopt(const detail::make_request& request, const detail::mobile_type& type, void* object) {
  base::require_current("make_mobile");
  const object_id id = reserve(1);
  auto o = std::make_unique<resident>(id, &type, std::string(request.name), 1, self_);
  o->load.bytes = type.bytes;
  if (type.hint) o->load.hint = type.hint(object);
  shard& s = shard_of(id);
  const std::scoped_lock lock(s.lock);
  entry& e = s.all[id];
  e.name = o->name;
  e.home = std::make_unique<home_record>();
  e.at = self_;
  e.epoch = 1;
  e.here = std::move(o);
  e.here->object = object;
  join_others(*e.here);
  ++s.counted.objects;
  return id;
}

object_id mobile_objects::reserve(std::size_t count) noexcept {
  return std::uint64_t{node_} << 48 | (made_.fetch_add(count, std::memory_order_relaxed) + 1);
}

void mobile_objects::refuse_node(std::uint32_t node, const std::source_location& where) const {
  throw error("N02", "there is no node " + std::to_string(node))
      .fact("called", where)
      .fact("nodes", std::to_string(nodes()) + ", from 0 on")
      .remedy("count from 0 to job_nodes() - 1");
}

object_id mobile_objects::make(const detail::make_request& request, const detail::letter_type& maker,
                               detail::parcel&& arguments) {
  base::require_current("make_mobile");
  if (request.node >= nodes()) refuse_node(request.node, request.where);
  const object_id id = reserve(1);
  make_reserved(id, request, maker, std::move(arguments));
  return id;
}

void mobile_objects::make_reserved(object_id id, const detail::make_request& request, const detail::letter_type& maker,
                                   detail::parcel&& arguments) {
  thread_state& t = here();
  auto& record = static_cast<task_record&>(*detail::make_task(0, detail::value_type<void>, request.where, {}).record);
  const std::shared_ptr<far_letter> l = new_letter();
  l->type = &maker;
  l->kind = static_cast<std::uint64_t>(letter_kind::make);
  l->function = dist::encode_constant(&maker, sizeof maker);
  l->object = id;
  l->from = self_;
  l->target = static_cast<rank>(request.node);
  l->where = request.where;
  l->name = request.name;
  l->set_arguments(std::move(arguments));
  if (job_) l->memory = {job_->pressure(), dist::back_pressure::what::kept, l->bytes().size()};
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry& e = s.all[id];
    e.name = request.name;
    e.home = std::make_unique<home_record>();
    e.at = l->target;
    e.epoch = 1;
    e.sent = e.unanswered = 1;
    e.home->visited.insert(e.at);
  }
  count_begun();
  sched::count_spawned(t);
  requests_.add(record, nullptr, l);
  send_first(l);
  record.release();  // nobody has its future
}

bool mobile_objects::is_here(object_id id) {
  shard& s = shard_of(id);
  const std::scoped_lock lock(s.lock);
  const entry* const e = s.find(id);
  return e && e->here;
}

std::string mobile_objects::words_for(object_id id, const std::string& name) const {
  const auto count = std::to_string(id & ((std::uint64_t{1} << 48) - 1));
  const rank made_on = home_of(id);
  const std::string home = job_ && made_on && made_on != nobody ? job_->name_of(made_on) + ":" : std::string();
  return home + "M" + count + (name.empty() ? std::string() : " \"" + name + '"');
}

std::string mobile_objects::name_of(object_id id) {
  std::string name;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    if (const entry* const e = s.find(id)) name = e->name;
  }
  return words_for(id, name);
}

failure_ref mobile_objects::destroyed(object_id id, const std::string& name) const {
  const std::string who = words_for(id, name);
  return detail::make_failure(std::make_exception_ptr(error("G02", who + " has been destroyed")
                                                          .because("this came after destroy() of the object, or before it from another node")
                                                          .remedy("destroy an object when all that is sent to it has been answered")),
                              who, {});
}

failure_ref mobile_objects::lost_with(object_id id, const entry* e, rank node, const char* role) const {
  const std::string who = words_for(id, e ? e->name : std::string());
  error what("G03", who + " is lost");
  what.because("it " + std::string(role) + " node " + job_->name_of(node) + ", which is lost").fact("told", "node " + job_->name_of(self_));
  if (is_lost(node)) what.caused_by(job_->loss_of(node)->unobserved_exception());
  return detail::make_failure(std::make_exception_ptr(std::move(what)), who, {});
}

failure_ref mobile_objects::lost_by(object_id id, const std::string& name, const failure& cause) const {
  return failure_ref::adopt(new failure(cause, words_for(id, name), cause.where()));
}

}  // namespace stretto::mobiles
