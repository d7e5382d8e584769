// mobile_floor.cpp - the functions that the headers of mobile objects call.
#include "mobile/mobile_floor.hpp"

#include <algorithm>
#include <stretto/collection.hpp>
#include <stretto/detail/multicast.hpp>
#include <stretto/error.hpp>

#include "base/snapshot_read.hpp"
#include "base/test_hook.hpp"
#include "event/event_floor.hpp"
#include "event/event_wait_graph.hpp"
#include "mobile/balancing_rounds.hpp"
#include "sched/handler_time.hpp"
#include "sched/task_execution.hpp"

namespace stretto {

namespace mobiles {

namespace {

/// No program depends on where its objects are, so this is no option.
unsigned random_migration_percent() noexcept {
  return static_cast<unsigned>(std::min<std::uint64_t>(base::test_hook("STRETTO_TEST_RANDOM_MIGRATION", 0), 100));
}
/// Between two rounds of periodic balancing. A program that needs others calls balance().
std::uint64_t balance_period_ms() noexcept { return base::test_hook("STRETTO_TEST_BALANCE_MS", 500); }

}  // namespace

void start_mobile(base::runtime_context& runtime, mobile_objects& all, const object_settings& s) {
  object_settings all_settings = s;
  all_settings.begin_balancing = begin_round;
  if (!s.is_stepped) all_settings.balance_period_ms = balance_period_ms();
  all_settings.random_migration_percent = random_migration_percent();
  all.start(runtime.node, all_settings);
  runtime.set(base::floor_slot::mobile, &all);
}

void stop_mobile(base::runtime_context& runtime) noexcept { runtime.set(base::floor_slot::mobile, nullptr); }

namespace {

mobile_objects& of_caller(const char* verb) {
  return *base::require_current(verb).runtime->get<mobile_objects>(base::floor_slot::mobile);
}

/// Abandons a record that has no body any more, or never had one.
void give_back(sched::task_record& r) noexcept {
  r.drop_body();
  detail::abandon(r);
}

void end_of(void* storage) {
  message& msg = *static_cast<message*>(storage);
  of_caller("destroy").destroy_object(*static_cast<local_object*>(msg.handled_object));
}
constexpr detail::task_type ending{detail::task_kind, end_of, nullptr, nullptr};
constexpr detail::task_type moving{detail::task_kind, nullptr, nullptr, nullptr};  // no task runs it

/// A send that waits for an event; until then the waiter owns the record.
struct deferred : waiter {
  mobile_objects* all;
  sched::task_record* record;
  object_id to;  // 0: to the objects that the body names
  detail::broadcast_body* body;
  event behind;

  static void run(waiter& self, const failure*, base::thread_context& context) noexcept {
    const std::unique_ptr<deferred> d(static_cast<deferred*>(&self));
    auto& t = static_cast<sched::thread_state&>(context);
    sched::task_record& r = *d->record;
    sched::finish_scope* const scope = r.scope;
    sched::finish_scope* const before = t.scope;
    sched::enter_scope(t, scope);
    failure_ref cause = detail::cause_of(dependency(d->behind), context);
    try {
      if (!cause) d->body ? d->all->post_broadcast(r, *d->body) : d->all->post(r, nullptr, d->to);
    } catch (...) {
      cause = detail::make_failure(std::current_exception(), detail::describe_task(r), r.where);
    }
    if (cause) {
      sched::count_spawned(t);
      sched::skip_task(t, r, failure_ref::adopt(new failure(*cause.get(), detail::describe_task(r), r.where)));
    }
    d->all->count_ended();
    d->all->count_deferred(-1);
    sched::enter_scope(t, before);
    sched::count_ended(t, scope);  // of the wait
  }

  static bool add_wait_edge(const base::wait_walk::found_waiter& found, base::wait_walk& walk) {
    const base::snapshot_copy<waiter> w(found.waiter);
    if (!w || w->fire != run) return false;
    const base::snapshot_copy<deferred> d(static_cast<const deferred*>(static_cast<const waiter*>(found.waiter)));
    if (d) walk.link(walk.at(base::wait_kind::task, detail::bits_of_record(d->record)), found.target);
    return true;
  }
};

/// To one object, or to the objects that `body` names; the record owns the body.
void post(sched::task_record& r, void* thread, object_id to, detail::broadcast_body* body,
          const detail::task_request* request) {
  mobile_objects& all = of_caller("send");
  try {
    if (!body || body->objects) all.check(body ? object_id{body->first} : to, r.where, "send");
    event behind;
    if (request && !(request->after.empty() && request->after_events.empty())) {
      std::vector<dependency> every(request->after.begin(), request->after.end());
      for (const event e : request->after_events) every.emplace_back(e);
      behind = merge_dependencies(every, r.where);
    }
    auto& context = base::require_current("send");
    if (behind != event()) {
      auto d = std::make_unique<deferred>();
      d->fire = deferred::run;
      d->all = &all;
      d->record = &r;
      d->to = to;
      d->body = body;
      d->behind = behind;
      all.count_begun();
      all.count_deferred(1);
      sched::count_spawned(static_cast<sched::thread_state&>(context));
      deferred& waits = *d.release();
      if (!detail::subscribe(dependency(behind), waits, context)) deferred::run(waits, nullptr, context);
      return;
    }
    body ? all.post_broadcast(r, *body) : all.post(r, thread, to);
  } catch (...) {
    give_back(r);
    throw;
  }
}

}  // namespace

void add_wait_edges(const base::runtime_context& runtime, base::wait_walk& walk) {
  runtime.get<mobile_objects>(base::floor_slot::mobile)->add_wait_edges(walk);
  walk.others.emplace_back([&walk](const base::wait_walk::found_waiter& found) {
    return deferred::add_wait_edge(found, walk) || pending_broadcast::add_wait_edge(found, walk);
  });
}

void add_handler_edges(const base::runtime_context& runtime, base::wait_walk& walk) {
  runtime.get<mobile_objects>(base::floor_slot::mobile)->add_handler_edges(walk);
}

}  // namespace mobiles

event quiescence(std::source_location where) { return mobiles::of_caller("quiescence").quiescence(where); }

mobile_statistics current_mobile_statistics() { return mobiles::of_caller("current_mobile_statistics").statistics(); }

namespace detail {

using namespace mobiles;

std::string name_of_object(std::uint64_t id) {
  if (!id) return "M-";
  return of_caller("to_string").name_of(object_id{id});
}

std::uint64_t adopt_object(const make_request& request, const mobile_type& type, void* object) {
  return base::value_of(of_caller("make_mobile").creation().adopt(request, type, object));
}

std::uint64_t make_object(const make_request& request, const message_type& maker, parcel&& arguments) {
  return base::value_of(of_caller("make_mobile").creation().make(request, maker, std::move(arguments)));
}

std::uint64_t reserve_objects(std::size_t count) {
  return base::value_of(of_caller("make_collection").homes().reserve_ids(count));
}

void make_reserved_object(std::uint64_t id, const make_request& request, const message_type& maker,
                          parcel&& arguments) {
  of_caller("make_collection").creation().make_reserved(object_id{id}, request, maker, std::move(arguments));
}

std::uint32_t nodes_for_objects() { return of_caller("make_collection").homes().nodes(); }

void refuse_node(std::uint32_t node, const std::source_location& where) {
  of_caller("make_collection").creation().refuse_node(node, where);
}

void refuse_element(std::size_t index, std::size_t elements) {
  throw error("G04",
              "a collection of " + std::to_string(elements) + " elements has no element " + std::to_string(index))
      .because(elements ? "elements are counted from 0 to " + std::to_string(elements - 1)
                        : "it was default-constructed, or created with 0 elements")
      .remedy("use an index below size()");
}

void post_message(completion& record, void* thread, std::uint64_t object, const task_request* request) {
  post(static_cast<sched::task_record&>(record), thread, object_id{object}, nullptr, request);
}

void post_broadcast(completion& record, broadcast_body& body, const task_request& request) {
  post(static_cast<sched::task_record&>(record), nullptr, {}, &body, &request);
}

completion& post_order(message_action action, std::uint64_t object, std::uint32_t to, const task_request& request,
                       const std::source_location& where) {
  const bool moves = action == message_action::migrate;
  mobile_objects& all = of_caller(moves ? "migrate" : "destroy");
  if (moves && to >= all.homes().nodes()) all.creation().refuse_node(to, where);
  task_request bare;
  bare.name = request.name;
  bare.priority = request.priority;
  auto& r = static_cast<sched::task_record&>(
      *make_task(sizeof(local_migration), moves ? moving : ending, where, bare).record);
  if (moves) ::new (r.storage()) local_migration(static_cast<rank>(to));
  else ::new (r.storage()) message(nullptr, message_action::destroy);
  post(r, nullptr, object_id{object}, nullptr, &request);
  return r;
}

bool is_object_here(std::uint64_t object) { return of_caller("is_here").directory().is_here(object_id{object}); }

void begin_span(handler_span& s, const local_object_base& of) noexcept {
  sched::begin_handler_time(s, static_cast<const local_object&>(of).on_devices(),
                            static_cast<sched::thread_state&>(base::require_current("send")));
}

void leave_object(local_object_base& at, bool has_read, handler_span& s) noexcept {
  of_caller("send").finish_handler(static_cast<local_object&>(at), has_read, s);
}

}  // namespace detail
}  // namespace stretto
