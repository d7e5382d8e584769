#include "dist/remote_instances.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <utility>

#include "data/data_state.hpp"
#include "data/imported_memories.hpp"
#include "data/program_bytes.hpp"
#include "event/handle.hpp"

namespace stretto::dist {

using detail::instance_handle;
using verb = data::remote_operation_request::action;

namespace {

constexpr std::size_t longest_name = 31;  // as in instance records

/// One event for all preconditions.
event merged(const preconditions& after, const std::source_location& where) {
  std::vector<dependency> all(after.dependencies.begin(), after.dependencies.end());
  for (const event e : after.events) all.emplace_back(e);
  return merge_dependencies(all, where);
}

pending_requests::begins begins_when(event behind) {
  return behind.has_triggered() ? pending_requests::begins::at_once : pending_requests::begins::later;
}

/// The instance whose node carries out the operation: the source, if there is one. Operations on three instances have
/// all of them on one node (submit).
const instance_handle& leader_of(const data::remote_operation_request& r) noexcept {
  return r.used_count == 2 ? r.used[1] : r.used[0];
}

}  // namespace

/// An operation that this node carries out for another, or for itself.
struct remote_instances::remote_operation {
  request_id of;
  owned_request request;
  event behind;  // precondition
  std::source_location where;
  unsigned resolved = 0;                                   // handles whose names were resolved
  std::array<instance_handle, 3> named = request.is.used;  // as the requester names them
};

remote_instances::remote_instances(job& j, ordered_messages& ordered)
    : job_(j),
      pending_requests_(j),
      names_(j),
      posted_(j, names_),
      offers_(j),
      receiver_(j, pending_requests_, names_, posted_, offers_),
      sender_(j, pending_requests_, posted_, offers_),
      enclosures_(j, ordered, pending_requests_, sender_, receiver_),
      global_instances_(j),
      facts_(j, pending_requests_, names_) {
  j.on<&remote_instances::on_create, &remote_instances::on_operation>(this);
  j.add(*this);
}

void remote_instances::serve(base::runtime_context& runtime) {
  names_.start();
  last_names_.assign(job_.nodes(), 0);
  data::set_other_nodes(runtime, this);
  enclosures_.serve(runtime.get<data::data_state>(base::floor_slot::data)->attached);
}

instance_handle remote_instances::near(const instance_handle& named, const char* verb,
                                       const std::source_location& where) {
  // A posted receive names no instance.
  return posted_receives::is_posted(named) ? instance_handle() : names_.find(names_.name_in(named), verb, where);
}

// On the node that requests an operation: the data floor calls create, create_reduction, submit and post, on any thread
// of the runtime.

detail::made_elsewhere remote_instances::create(std::uint32_t node, const detail::instance_request& request,
                                                const preconditions& after, const std::source_location& where) {
  base::thread_context& context = base::require_current("create");
  const rank to = static_cast<rank>(node);
  job_.hold_back(where);
  const event behind = merged(after, where);
  const std::string who =
      request.name.empty() ? "an instance" : "instance \"" + std::string(request.name.substr(0, longest_name)) + '"';
  const pending_requests::opened q = pending_requests_.open("creation of " + who + " on node " + job_.name_of(to),
                                                            {&to, 1}, after, where, begins_when(behind));
  const instance_name name = send_creation(to, q.id, request, nullptr, reduction_style::automatic, behind, where);
  pending_requests_.end_if_lost(q.id, {&to, 1}, context);
  return {names_.handle_of(to, name), q.done};
}

instance_handle remote_instances::create_reduction(std::uint32_t node, const detail::instance_request& request,
                                                   const detail::reduction_kind& kind, reduction_style style,
                                                   const std::source_location& where) {
  const rank to = static_cast<rank>(node);
  return names_.handle_of(to, send_creation(to, {job_.self(), 0}, request, &kind, style, event(), where));
}

instance_name remote_instances::send_creation(rank to, const request_id& q, const detail::instance_request& r,
                                              const detail::reduction_kind* kind, reduction_style style, event behind,
                                              const std::source_location& where) {
  // Held while the request is sent: requests must arrive in the order of their numbers (instance_names.hpp).
  const std::scoped_lock lock(naming_lock_);
  const instance_name name{job_.self(), ++last_names_[to]};
  job_.send(to, instance_creation{.name = name.number,
                                  .request = q.number,
                                  .behind = behind,
                                  .where = where,
                                  .memory = r.memory,
                                  .box = r.box,
                                  .strides = {r.strides.begin(), r.strides.end()},
                                  .order = r.order,
                                  .dimensions = r.dimensions,
                                  .element_bytes = r.element_bytes,
                                  .alignment = r.alignment,
                                  .reduction = {encode_kind(kind)},
                                  .style = style,
                                  .text = std::string(r.name.substr(0, longest_name))});
  return name;
}

// On the node whose memory the instance takes, inside job::poll. Request number 0 wants no reply.
void remote_instances::on_create(rank from, const instance_creation& m, base::thread_context& context) {
  const instance_name name{from, m.name};
  const request_id q{from, m.request};
  detail::instance_request r{.memory = m.memory,
                             .box = m.box,
                             .strides = m.strides,
                             .order = m.order,
                             .dimensions = m.dimensions,
                             .element_bytes = m.element_bytes,
                             .alignment = m.alignment,
                             .name = m.text};
  if (!r.memory) r.memory = data::state_of(context).memories.front()->where();

  instance_names::creation_result is;
  try {
    if (const detail::reduction_kind* const kind = decode_kind(m.reduction.bits, job_.name_of(job_.self()), m.where))
      is.made =
          detail::create_reduction(r.memory, r.box, r.dimensions, *kind, {.style = m.style, .name = m.text}, m.where);
    else is.made = detail::create_instance(r, after_range{{&m.behind, 1}}, m.where);
  } catch (...) {
    is.cause = detail::make_failure(std::current_exception(), "creation of an instance", m.where);
    pending_requests_.reply(q, is.cause.get(), context);
  }
  const event ready = is.made.record ? is.made.record->ready : event();
  const instance_handle made = is.made;
  names_.announce(name, std::move(is), context);
  if (!made.record) return;
  const instance_handle named = names_.handle_of(job_.self(), name);
  when_ended(operation_step{.of = q}, ready, context,
             [this, q, named, made](const failure* cause, base::thread_context& on) {
               if (!cause) global_instances_.announce(q.requester, named, made, on);
               pending_requests_.reply(q, cause, on);
             });
}

std::string remote_instances::describe_instance(const instance_handle& h, const base::thread_context& context) const {
  if (data::is_local(h, context) && h.record->live.load(std::memory_order_acquire) == h.key)
    return detail::describe(*h.record);
  return "node " + job_.name_of(owner_of(h));
}

event remote_instances::submit(const data::remote_operation_request& r, const preconditions& after,
                               const std::source_location& where) {
  base::thread_context& context = base::require_current(data::word_of(r.what));
  std::array<rank, 3> parts{};  // the other nodes that take part
  std::size_t count = 0;
  for (unsigned i = 0; i < r.used_count; ++i) {
    const rank owner = owner_of(r.used[i]);
    const auto end = parts.begin() + static_cast<std::ptrdiff_t>(count);
    if (owner != job_.self() && std::find(parts.begin(), end, owner) == end) parts[count++] = owner;
  }
  const rank to = owner_of(leader_of(r));
  if (r.used_count == 3 && std::ranges::any_of(r.used, [&](const instance_handle& h) { return owner_of(h) != to; }))
    throw error("D24", std::string(data::word_of(r.what)) + " was given instances of several nodes")
        .fact("submitted", where)
        .because("indices refer to elements of one memory")
        .remedy("copy the table, the indices and the values to instances of one node first");
  if (r.what == verb::destroy) facts_.forget(r.used[0]);
  // No back pressure for a destruction, which frees memory; nor for elements to a posted receive: the buffers floor,
  // the only sender of these, bounds them itself, and may hold locks here.
  if (r.what != verb::destroy && !posted_receives::is_posted(r.used[0])) job_.hold_back(where);
  const event behind = merged(after, where);
  std::string what = data::word_of(r.what);
  if (r.used_count == 2)
    what += " from " + describe_instance(r.used[1], context) + " to " + describe_instance(r.used[0], context);
  else what += " on node " + job_.name_of(to);
  const pending_requests::opened q =
      pending_requests_.open(std::move(what), std::span(parts).first(count), after, where, begins_when(behind));
  if (to == job_.self()) {
    resolve_names(std::make_shared<remote_operation>(remote_operation{q.id, owned_request(r), behind, where}), context);
  } else if (r.what == verb::destroy || behind == event() || detail::node_of(behind) != job_.node()) {
    send_request(to, q.id, r, behind, where);
  } else {  // an event of this node: wait here, which saves the other node a subscription
    const auto kept = std::make_shared<owned_request>(r);
    when_ended(operation_step{.of = q.id, .pending_on = its_preconditions}, behind, context,
               [this, to, q, kept, where](const failure* cause, base::thread_context& on) {
                 if (!cause) return send_request(to, q.id, kept->is, event(), where);
                 posted_.abandon(kept->is.used[0], kept->is.boxes, *cause);
                 pending_requests_.reply(q.id, cause, on, pending_requests::failure_origin::precondition);
               });
  }
  pending_requests_.end_if_lost(q.id, std::span(parts).first(count), context);
  return q.done;
}

void remote_instances::post(std::uint64_t number, const instance_handle& target, std::span<const box> parts,
                            std::span<event> done, const preconditions& after, const std::source_location& where) {
  posted_.post_receive(number, target, parts, done, merged(after, where), where, base::require_current("post"));
}

void remote_instances::send_request(rank to, const request_id& q, const data::remote_operation_request& r, event behind,
                                    const std::source_location& where) {
  job_.send(to, instance_operation{q.number, behind, where, fields_of(r)});
}

// On the node that carries out an operation, for itself or for another node.

bool remote_instances::is_for_this_node(const operation_fields& f) const noexcept {
  for (std::size_t i = 0; i < f.used.size(); ++i) {
    const auto owner = job_.rank_of(static_cast<std::uint16_t>(f.used[i].key >> 48));
    const bool is_target_elsewhere = f.used.size() == 2 && i == 0;
    if (!owner || (*owner != job_.self() && !is_target_elsewhere)) return false;
  }
  return true;
}

void remote_instances::on_operation(rank from, const instance_operation& m, base::thread_context& context) {
  if (!m.what.is_sound() || !is_for_this_node(m.what)) return job_.refuse_malformed(m.message, from);
  const request_id q{from, m.request};
  try {
    resolve_names(std::make_shared<remote_operation>(
                      remote_operation{q, request_of(m.what, job_.name_of(job_.self()), m.where), m.behind, m.where}),
                  context);
  } catch (...) {
    const failure_ref why = detail::make_failure(std::current_exception(), "an operation on instances", m.where);
    pending_requests_.reply(q, why.get(), context);
  }
}

void remote_instances::resolve_names(std::shared_ptr<remote_operation> e, base::thread_context& context) {
  data::remote_operation_request& r = e->request.is;
  while (e->resolved < r.used_count &&
         (owner_of(r.used[e->resolved]) != job_.self() || !instance_names::is_name(r.used[e->resolved])))
    ++e->resolved;
  if (e->resolved == r.used_count) return run_here(e, context);
  names_.resolve(r.used[e->resolved], data::word_of(r.what), e->where, context,
                 [this, e](const instance_handle& near, failure_ref cause, base::thread_context& on) {
                   if (cause) return fail_operation(e, std::move(cause), on);
                   e->request.is.used[e->resolved] = near;
                   resolve_names(e, on);
                 });
}

void remote_instances::run_here(const std::shared_ptr<remote_operation>& e, base::thread_context& context) {
  const data::remote_operation_request& r = e->request.is;
  if (owner_of(r.used[0]) != job_.self()) {  // the source is here, the target is not: send the elements
    announce_globals(*e, context);
    const instance_handle source = r.used[1];
    return sender_.send(e->of, std::move(e->request), source, e->behind, e->where, context);
  }
  // Submit a destruction at once, because creations may wait for its memory; it runs even if its precondition fails.
  if (r.what == verb::destroy) return submit_here(e, e->behind, context);
  when_ended(step_of(*e), e->behind, context, [this, e](const failure* cause, base::thread_context& on) {
    if (cause) pending_requests_.reply(e->of, cause, on, pending_requests::failure_origin::precondition);
    else submit_here(e, event(), on);
  });
}

void remote_instances::submit_here(const std::shared_ptr<remote_operation>& e, event behind,
                                   base::thread_context& context) {
  const data::remote_operation_request& r = e->request.is;
  try {
    // The race checker does not see the order that the requester has established: order it after everything that has
    // begun.
    const std::array waits{behind, data::ordered_unseen(context, e->where)};
    const event done = data::run_here(r, after_range{waits}, e->where);
    when_ended(operation_step{.of = e->of}, done, context, [this, e](const failure* cause, base::thread_context& on) {
      announce_globals(*e, on);
      pending_requests_.reply(e->of, cause, on);
    });
  } catch (...) {
    fail_operation(e, detail::make_failure(std::current_exception(), data::word_of(r.what), e->where), context);
  }
}

void remote_instances::announce_globals(const remote_operation& e, base::thread_context& context) {
  const data::remote_operation_request& r = e.request.is;
  if (e.of.requester == job_.self() || r.what == verb::destroy) return;
  for (unsigned i = 0; i < r.used_count; ++i)
    if (data::is_local(r.used[i], context)) global_instances_.announce(e.of.requester, e.named[i], r.used[i], context);
}

operation_step remote_instances::step_of(const remote_operation& e) noexcept {
  const data::remote_operation_request& r = e.request.is;
  return {.of = e.of, .pending_on = its_preconditions, .verb = data::word_of(r.what), .instance = r.used[0].record};
}

void remote_instances::fail_operation(const std::shared_ptr<remote_operation>& e, failure_ref why,
                                      base::thread_context& context) {
  when_ended(operation_step{.of = e->of, .pending_on = its_preconditions}, e->behind, context,
             [this, e, why](const failure* before, base::thread_context& on) {
               const failure* const cause = before ? before : why.get();
               posted_.abandon(e->request.is.used[0], e->request.is.boxes, *cause);
               pending_requests_.reply(e->of, cause, on,
                                       before ? pending_requests::failure_origin::precondition
                                              : pending_requests::failure_origin::operation);
             });
}

void remote_instances::add_wait_edges(base::wait_walk& walk) const {
  pending_requests_.add_wait_edges(walk);
  posted_.add_wait_edges(walk);
  walk.others.emplace_back(
      [&walk, self = job_.self()](const base::wait_walk::found_waiter& found) { return add_step(found, self, walk); });
}

void remote_instances::lost(rank node, base::thread_context& context) noexcept {
  names_.lost(node, context);
  posted_.fail_from(0, job_.loss_of(node), context);
  receiver_.lost(node, context);
  offers_.lost(node);
  if (const auto& imported = data::state_of(context).imported) imported->forget(job_.node_of(node));
  global_instances_.lost(node);
  pending_requests_.lost(
      node, context, [&](std::uint64_t number) { return receiver_.is_receiving_from({job_.self(), number}, node); });
  enclosures_.lost(node);
}

}  // namespace stretto::dist
