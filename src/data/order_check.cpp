#include "data/order_check.hpp"

#include <cstring>
#include <string>

#include "data/host_channel.hpp"
#include "data/layout.hpp"
#include "sched/worker.hpp"

namespace stretto::data {

using detail::instance_handle;
using detail::instance_record;
using wait_history = happens_before::wait_history;

namespace {

base::awaited as_awaited(const dependency& d) noexcept {
  if (const completion* c = d.task()) return {c, 0};
  return {nullptr, d.as_event().raw()};
}

/// Other nodes write to global memory too, which is not visible here.
bool is_followed(const instance_handle& h) noexcept {
  return h.record && !h.record->is_bare && !h.record->reduction &&
         !(h.record->space && h.record->space->kind() == place_kind::global_memory);
}

error unordered(const element_access& first, const element_access& second, const instance_record& r) {
  const std::string one = first.verb, other = second.verb;
  return error("D21",
               "nothing orders " + one + " and " + other + ", which use the same elements of " + detail::describe(r))
      .fact("first", one + ", " + short_location(first.line))
      .fact("second", other + ", " + short_location(second.line))
      .fact("elements", intersection(first.where, second.where).text())
      .because("one of them writes, and neither waits for the other: the result depends on timing")
      .remedy("let the second one wait: " + other + "(..., after(event of the first))");
}

}  // namespace

order_check::node_id order_check::of(base::awaited what) {
  if (what.task) {
    const auto found = tasks_.find(what.task);
    return found == tasks_.end() ? unknown : order_.end_of(found->second);
  }
  if (!what.event) return 0;
  const node_id n = order_.named(what.event);
  return n ? n : unknown;
}

void order_check::follow(node_id n, base::awaited what) {
  const node_id earlier = of(what);
  if (earlier == unknown) order_.follow_unknown(n);
  else order_.follow(n, earlier);
}

wait_history& order_check::wait_history_of(base::thread_context& by) {
  const sched::worker* const w = static_cast<const sched::thread_state&>(by).as_worker;
  if (w && w->current) {
    const auto found = tasks_.find(w->current);
    if (found != tasks_.end()) return found->second;
  } else if (w) {
    const auto [found, is_new] = bodies_.try_emplace(w);
    if (is_new) order_.wait_for_all(found->second);
    return found->second;
  }
  order_.wait_for_all(outside_);
  return outside_;
}

void order_check::spawned(const void* task, base::thread_context& by) noexcept {
  const std::scoped_lock lock(mutex_);
  const node_id spawner = order_.state_of(wait_history_of(by));
  wait_history& s = tasks_[task];
  order_.restart(s);
  if (spawner) s.pending.push_back(spawner);
}

void order_check::follows(const void* task, base::awaited precondition) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return;
  const node_id n = of(precondition);
  if (n == unknown) found->second.after_unknown = true;
  else if (n) found->second.pending.push_back(n);
}

void order_check::reused(const void* record) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = tasks_.find(record);
  if (found == tasks_.end()) return;
  order_.restart(found->second);
  tasks_.erase(found);
}

void order_check::waited(base::awaited what, base::thread_context& by) noexcept {
  const std::scoped_lock lock(mutex_);
  const node_id n = of(what);
  if (!n) return;
  wait_history& s = wait_history_of(by);
  if (n == unknown) order_.wait_for_all(s);
  else order_.wait(s, n);
}

void order_check::synchronised(base::thread_context& by) noexcept {
  const std::scoped_lock lock(mutex_);
  order_.wait_for_all(wait_history_of(by));
}

void order_check::merges(std::uint64_t merged, base::awaited input) noexcept {
  const std::scoped_lock lock(mutex_);
  node_id n = order_.named(merged);
  if (!n) order_.name(n = order_.make(), merged);
  follow(n, input);
}

order_check::node_id order_check::submitted(const preconditions& after, std::span<const instance_handle> used,
                                            event done, base::thread_context& by) {
  const std::scoped_lock lock(mutex_);
  const node_id spawner = order_.state_of(wait_history_of(by));
  const node_id n = order_.make();
  order_.follow(n, spawner);
  for (const dependency& d : after.dependencies) follow(n, as_awaited(d));
  for (const event e : after.events) follow(n, {nullptr, e.raw()});
  for (const instance_handle& h : used)
    if (h.record) follow(n, {nullptr, h.record->ready.raw()});
  order_.name(n, done.raw());
  return n;
}

void order_check::ends_with(node_id n, event done) {
  const std::scoped_lock lock(mutex_);
  order_.name(n, done.raw());
}

access_history& order_check::history_of(const instance_handle& h) {
  const auto [found, is_new] = instances_.try_emplace(h.key, h.record->shape.box);
  if (is_new && (!h.record->space || h.record->is_borrowed)) found->second.open();  // memory of the program
  return found->second;
}

void order_check::add(const instance_handle& h, const box& where, access_kind kind, const operation_request& r) {
  if (!is_followed(h) || where.is_empty()) return;
  access& a = now_.emplace_back();
  a.where = where;
  a.kind = kind;
  a.updated_by = kind == access_kind::update ? r.reduction : nullptr;
  a.verb = r.kind->verb;
  a.line = r.where;
  a.instance = &h;
  a.past = &history_of(h);
}

void order_check::collect(const operation_request& r) {
  now_.clear();
  const bool gathers = r.used_count == 3, scatters = gathers && r.kind->parts == operation_kind::cut::forbidden;
  if (scatters) {
    add(r.used[1], r.first_box, access_kind::read, r);
    add(r.used[2], r.first_box, access_kind::read, r);
    add(r.used[0], r.used[0].record->shape.box, access_kind::scatter, r);
  } else if (gathers) {
    add(r.used[1], r.used[1].record->shape.box, access_kind::read, r);
    add(r.used[2], r.first_box, access_kind::read, r);
    add(r.used[0], r.first_box, access_kind::write, r);
  } else {
    for (std::size_t i = 0; r.used_count > 1 && i < r.box_count; ++i)
      add(r.used[1], r.box_at(i).shifted(r.shift), access_kind::read, r);
    const access_kind how = r.kind->updates ? access_kind::update : access_kind::write;
    for (std::size_t i = 0; i < r.box_count; ++i) add(r.used[0], r.box_at(i), how, r);
  }
}

std::optional<error> order_check::unwritten(const operation_request& r) {
  for (const access& a : now_) {
    if (a.kind != access_kind::read && !r.reduction) continue;
    const region left = a.past->unwritten(a.where);
    if (left.is_empty()) continue;
    // Which elements of its table a gather reads depends on its indices.
    if (r.used_count == 3 && a.instance == &r.used[1] && left != region(a.where)) continue;
    const instance_record& about = *a.instance->record;
    return error("D22",
                 std::string(a.verb) + " reads elements of " + detail::describe(about) + " that nothing has written")
        .fact("submitted", a.line)
        .fact("created", about.created)
        .fact("elements", left.text())
        .because("they hold whatever the memory held before")
        .remedy("fill the instance first, or let the operation wait for the one that writes them");
  }
  return std::nullopt;
}

std::optional<error> order_check::conflict(const access& a) {
  if (const element_access* const first = a.past->conflict(a, order_)) return unordered(*first, a, *a.instance->record);
  return std::nullopt;
}

void order_check::begins(node_id n, const operation_request& r) {
  std::optional<error> found;
  {
    const std::scoped_lock lock(mutex_);
    collect(r);
    const bool is_known = order_.begin(n);
    found = unwritten(r);
    for (access& a : now_) {
      a.when = order_.current();
      if (is_known && !found) found = conflict(a);
    }
    for (const access& a : now_) {
      if (is_known && !found) a.past->add(a, order_);
      else if (a.kind != access_kind::read) a.past->forget(a.where);  // later accesses are checked on their own
      if (a.kind != access_kind::read) a.past->written(a.where);
    }
  }
  if (found) throw std::move(*found);
}

std::optional<error> order_check::check_destruction(node_id n, const instance_handle& h) {
  const std::scoped_lock lock(mutex_);
  const auto past = instances_.find(h.key);
  if (past == instances_.end()) return std::nullopt;
  std::optional<error> found;
  if (is_followed(h) && order_.begin(n)) {
    access a;
    a.where = h.record->shape.box;
    a.kind = access_kind::write;
    a.when = order_.current();
    a.verb = "destroy";
    a.line = h.record->destroyed;
    a.instance = &h;
    a.past = &past->second;
    found = conflict(a);
  }
  instances_.erase(past);
  return found;
}

void order_check::untracked(const operation_request& r) {
  const std::scoped_lock lock(mutex_);
  collect(r);
  for (const access& a : now_) {
    if (a.kind == access_kind::read) continue;
    a.past->written(a.where);
    a.past->forget(a.where);
  }
}

void order_check::opened(const instance_handle& h) {
  const std::scoped_lock lock(mutex_);
  if (is_followed(h)) history_of(h).open();
}

void order_check::forget_instances() {
  const std::scoped_lock lock(mutex_);
  instances_.clear();
}

order_check::sizes order_check::size() {
  const std::scoped_lock lock(mutex_);
  std::size_t accesses = 0;
  for (const auto& [key, past] : instances_) accesses += past.size();
  return {tasks_.size(), order_.size().names, order_.size().chains, instances_.size(), accesses};
}

void order_check::poison(const instance_record& r) noexcept {
  if (!r.first || !r.space || !is_host_memory(r.space->kind())) return;
  const auto [from, to] = span_of(r.shape);
  std::memset(r.first + from, 0xcd, static_cast<std::size_t>(to - from));
}

}  // namespace stretto::data
