#include "buffers/instruction_executor.hpp"

#include <stretto/copy.hpp>

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include "buffers/transfer_tags.hpp"
#include "data/data_state.hpp"
#include "data/instances.hpp"
#include "data/other_nodes.hpp"
#include "graph/effect_order.hpp"
#include "graph/overloaded.hpp"
#include "objects/cleared_range.hpp"

namespace stretto::buffers {
namespace {

/// The part for an instruction that uses a whole allocation.
constexpr coordinate far_off = std::numeric_limits<coordinate>::max() / 4;
const box anywhere = box::between(point(-far_off, -far_off, -far_off), point(far_off, far_off, far_off));

}  // namespace

std::string describe(graph::buffer_id b, const std::string& name) {
  return "buffer B" + std::to_string(b.number) + (name.empty() ? "" : " \"" + name + "\"");
}

void instruction_executor::add(graph::buffer_id b, const element_type& type, std::string name) {
  types_[b.number] = {type, std::move(name)};
}

void instruction_executor::remove(graph::buffer_id b) {
  const auto found = types_.find(b.number);
  if (found == types_.end()) return;
  if (!found->second.empty_instances.empty()) {
    std::vector<event> all;
    for (const completion& p : ends_) all.push_back(ignore_failure(p.end));
    for (const auto& [on, empty] : found->second.empty_instances)
      detail::destroy_instance(empty.is, after_range{all}, std::source_location());
  }
  types_.erase(found);
}

detail::instance_handle instruction_executor::make(graph::buffer_id b, place memory, const box& elements,
                                                   const data::placement_hint& at, const std::source_location& where,
                                                   base::thread_context& context) const {
  const buffer_type& t = types_.at(b.number);
  detail::instance_request r;
  r.memory = memory;
  r.box = elements;
  r.dimensions = t.is.dimensions;
  r.element_bytes = t.is.bytes;
  r.alignment = t.is.alignment;
  r.name = t.name;
  std::optional<objects::cleared_range> cleared;
  const std::uint64_t bytes = std::max<std::uint64_t>(1, elements.volume() * t.is.bytes);
  if (at.offset) cleared.emplace(memory, *at.offset, bytes, where, context);
  return data::create_where(r, at, {}, where);
}

data::placement_hint instruction_executor::place_of_empty_instance(graph::processor_number on, std::uint64_t number,
                                                                   base::thread_context& context) const {
  const data::memory_space& space = *data::state_of(context).find(places_[on].memory);
  const std::uint64_t grain = space.taken_by(1);
  const bool has_end = on + 1 < places_.size() && space.capacity() > grains_for_empty_instances * grain;
  if (!has_end || number >= grains_for_empty_instances) return {.is_at_end = true};
  return {.offset = space.capacity() - (number + 1) * grain};
}

detail::instance_handle instruction_executor::empty_instance_of(graph::buffer_id b, graph::processor_number on,
                                                                const std::source_location& where) {
  base::thread_context& context = base::require_current("launch");
  buffer_type::empty_instance& mine = types_.at(b.number).empty_instances[on];
  if (mine.is.record) return mine.is;
  const auto is_taken = [&](std::uint64_t number) {
    return std::ranges::any_of(types_, [&](const auto& t) {
      const auto other = t.second.empty_instances.find(on);
      return other != t.second.empty_instances.end() && other->second.is.record && other->second.number == number;
    });
  };
  std::uint64_t number = 0;
  while (is_taken(number)) ++number;
  return (mine = {make(b, places_[on].memory, box(), place_of_empty_instance(on, number, context), where, context),
                  number})
      .is;
}

std::optional<graph::memory_number> instruction_executor::memory_number_of(place memory) const {
  const auto found = std::ranges::find(places_.begin(), places_.end() - 1, memory, &execution_place::memory);
  if (found == places_.end() - 1) return std::nullopt;
  return static_cast<graph::memory_number>(found - places_.begin() + 1);
}

place instruction_executor::memory_of(graph::memory_number m) const {
  if (m == 0) return places_.back().memory;
  return places_[m - 1u].memory;
}

task_outcome instruction_executor::run(std::span<const graph::instruction> all, const task_work& work, bool check,
                                       base::thread_context& context) {
  task_outcome out;
  for (const graph::instruction& i : all) {
    if (std::holds_alternative<graph::pass_horizon>(i.what) || std::holds_alternative<graph::pass_epoch>(i.what)) {
      pass(i, work);
      continue;
    }
    event end;
    try {
      find_dependencies(i, work);
      end = start_instruction(i, work, check, out, context);
    } catch (...) {
      const user_event failed = user_event::create(work.range.where);
      failed.poison(std::current_exception(), work.range.where);
      end = failed;
      if (std::holds_alternative<graph::compute>(i.what)) out.done = merge(out.done, end, work.range.where);
      if (const auto* a = std::get_if<graph::allocate>(&i.what))
        failed_allocations_[a->is.number] = std::current_exception();
    }
    keep_end(i, work, end);
  }
  return out;
}

void instruction_executor::pass(const graph::instruction& i, const task_work& work) {
  must_succeed_.clear();
  for (const std::uint64_t f : i.follows) {
    const completion& before = end_of(f);
    const event all = before.is_epoch ? ignore_failure(before.end, work.range.where) : before.with_failures;
    if (!has_succeeded(all)) must_succeed_.push_back(all);
  }
  const event all = merge(must_succeed_, work.range.where);
  const bool is_epoch = std::holds_alternative<graph::pass_epoch>(i.what);
  ends_.push_back({is_epoch ? all : ignore_failure(all, work.range.where), all, is_epoch});
  // The horizon before is applied: nothing older is accessed.
  const std::uint64_t applied = is_epoch ? i.id.number : horizon_;
  horizon_ = i.id.number;
  ends_.erase(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(applied - first_));
  first_ = applied;
  std::erase_if(arrivals_, [&](const auto& a) { return a.first < applied; });
  unsettled_.settle();
  std::erase_if(effects_, [](const auto& e) { return has_succeeded(e.second); });
  passed_horizons_.push_back({ends_.back().end, std::move(checked_regions_)});
  checked_regions_.clear();
}

template <class F>
void instruction_executor::each_use(const graph::instruction& i, const task_work& work, F f) const {
  const auto each = [&](graph::allocation_id a, const std::vector<box>& parts, bool reads, bool writes) {
    for (const box& b : parts) f(a.number, b, reads, writes);
  };
  if (const auto* c = std::get_if<graph::compute>(&i.what)) {
    const bool is_read_by_program = !work.code && !work.host;
    for (std::size_t n = 0; n < c->uses.size(); ++n) {
      const bool is_access = work.task && n < work.task->accesses.size();
      if (c->uses[n].is.number == 0) continue;
      f(c->uses[n].is.number, c->uses[n].part, !is_access || graph::reads(work.task->accesses[n].how),
        !is_read_by_program && (!is_access || graph::writes(work.task->accesses[n].how)));
    }
  } else if (const auto* copied = std::get_if<graph::copy>(&i.what)) {
    each(copied->from, copied->parts, true, false);
    each(copied->to, copied->parts, false, true);
  } else if (const auto* sent = std::get_if<graph::send>(&i.what)) {
    for (const graph::sent_part& p : sent->parts) f(sent->from.number, p.where, true, false);
  } else if (const auto* received = std::get_if<graph::receive>(&i.what)) {
    // else each part is recorded when it arrives
    if (received->parts.size() == 1) each(received->to, received->parts, false, true);
  } else if (const auto* arrived = std::get_if<graph::arrive>(&i.what)) {
    if (const auto a = arrivals_.find(arrived->of.number); a != arrivals_.end())
      f(a->second.to.number, a->second.parts[arrived->part], false, true);
  } else if (const auto* folded = std::get_if<graph::fold>(&i.what)) {
    f(folded->from.number, anywhere, true, false);
    f(folded->to.number, anywhere, true, true);
  } else if (const auto* filled = std::get_if<graph::fill_identity>(&i.what)) {
    f(filled->is.number, anywhere, false, true);
  }
}

void instruction_executor::find_dependencies(const graph::instruction& i, const task_work& work) {
  must_succeed_.clear();
  must_end_.clear();
  each_use(i, work, [&](std::uint64_t allocation, const box& part, bool reads, bool) {
    if (reads) unsettled_.before_reading(allocation, part, must_succeed_);
  });
  if (std::holds_alternative<graph::compute>(i.what) && work.task)
    graph::effect_order::each(*work.task, [&](std::uint64_t key, bool) {
      if (const auto last = effects_.find(key); last != effects_.end() && !has_succeeded(last->second))
        must_succeed_.push_back(last->second);
    });
  if (!std::holds_alternative<graph::arrive>(i.what))
    for (const std::uint64_t f : i.follows) {
      const event end = end_of(f).end;
      if (!end.has_triggered() && std::ranges::find(must_succeed_, end) == must_succeed_.end())
        must_end_.push_back(end);
    }
  if (!views_.empty()) wait_for_views(i, work);
  if (must_end_.empty()) return;
  const event others = ignore_failure(merge(must_end_, work.range.where), work.range.where);
  if (others != event()) must_succeed_.push_back(others);
}

void instruction_executor::keep_end(const graph::instruction& i, const task_work& work, event end) {
  ends_.push_back({end, end});
  each_use(i, work, [&](std::uint64_t allocation, const box& part, bool, bool writes) {
    if (writes) unsettled_.wrote(allocation, part, end);
  });
  if (const auto* released = std::get_if<graph::release>(&i.what)) unsettled_.forget(released->is.number);
  if (std::holds_alternative<graph::compute>(i.what) && work.task)
    graph::effect_order::each(*work.task, [&](std::uint64_t key, bool is_affected) {
      if (is_affected) effects_[key] = end;
    });
}

detail::instance_handle instruction_executor::instance_of(graph::allocation_id a) const {
  if (const auto failed = failed_allocations_.find(a.number); failed != failed_allocations_.end())
    std::rethrow_exception(failed->second);
  return allocations_.at(a.number);
}

void instruction_executor::wait_for_views(graph::allocation_id in, std::span<const box> parts) {
  for (const kept_view& v : views_)
    if (v.of == in && std::ranges::any_of(parts, [&](const box& b) { return b.meets(v.part); }))
      must_end_.push_back(v.ends);
}

void instruction_executor::wait_for_views(const graph::instruction& i, const task_work& work) {
  std::erase_if(views_, [](const kept_view& v) { return v.ends.has_triggered(); });
  const auto whole = [&](graph::allocation_id in) {
    for (const kept_view& v : views_)
      if (v.of == in) must_end_.push_back(v.ends);
  };
  if (const auto* c = std::get_if<graph::compute>(&i.what)) {
    for (std::size_t n = 0; n < c->uses.size(); ++n)
      if (!work.task || n >= work.task->accesses.size() || graph::writes(work.task->accesses[n].how))
        if (work.code || work.host) wait_for_views(c->uses[n].is, {&c->uses[n].part, 1});
  } else if (const auto* copied = std::get_if<graph::copy>(&i.what)) {
    wait_for_views(copied->to, copied->parts);
  } else if (const auto* received = std::get_if<graph::receive>(&i.what)) {
    wait_for_views(received->to, received->parts);
  } else if (const auto* folded = std::get_if<graph::fold>(&i.what)) {
    whole(folded->to);
  } else if (const auto* filled = std::get_if<graph::fill_identity>(&i.what)) {
    whole(filled->is);
  } else if (const auto* released = std::get_if<graph::release>(&i.what)) {
    whole(released->is);
  }
}

event instruction_executor::last(std::size_t instructions, const std::source_location& where) const {
  std::vector<event> all;
  for (auto p = ends_.end() - static_cast<std::ptrdiff_t>(instructions); p != ends_.end(); ++p) all.push_back(p->end);
  return merge(all, where);
}

event instruction_executor::back_pressure(std::size_t most) {
  while (!passed_horizons_.empty() && passed_horizons_.front().reached.has_triggered()) passed_horizons_.pop_front();
  return passed_horizons_.size() > most ? passed_horizons_[passed_horizons_.size() - most - 1].reached : event();
}

event instruction_executor::start_instruction(const graph::instruction& i, const task_work& work, bool check,
                                              task_outcome& out, base::thread_context& context) {
  return std::visit(graph::overloaded{
                        [&](const graph::compute& c) { return start(c, work, check, out); },
                        [&](const graph::copy& c) { return start(c, work); },
                        [&](const graph::send& s) { return start(s, work, context); },
                        [&](const graph::fill_identity& f) { return start(f, work); },
                        [&](const graph::fold& f) { return start(f, work); },
                        [&](const graph::receive& r) { return start(r, i.id, work, context); },
                        [&](const graph::arrive& a) { return start(a); },
                        [&](const graph::allocate& a) { return start(a, work, context); },
                        [&](const graph::release& r) { return start(r, work); },
                        [](const graph::pass_horizon&) { return event(); },  // run() handles both with `pass`
                        [](const graph::pass_epoch&) { return event(); },
                    },
                    i.what);
}

event instruction_executor::start(const graph::allocate& a, const task_work& work, base::thread_context& context) {
  // The creation waits for the releases of instances at these addresses, which have been submitted. Operations wait for
  // the creation.
  const data::placement_hint at{.offset = a.offset};
  allocations_[a.is.number] = make(a.of, memory_of(a.where), a.elements, at, work.range.where, context);
  return {};
}

event instruction_executor::start(const graph::release& r, const task_work& work) {
  const auto found = allocations_.find(r.is.number);
  if (found == allocations_.end()) return failed_allocations_.erase(r.is.number), event();
  const detail::instance_handle h = found->second;
  allocations_.erase(found);
  return detail::destroy_instance(h, after_range{must_succeed_}, work.range.where);
}

event instruction_executor::start(const graph::copy& c, const task_work& work) {
  return detail::copy_boxes(instance_of(c.to), instance_of(c.from), c.parts, {}, after_range{must_succeed_},
                            work.range.where);
}

event instruction_executor::start(const graph::fill_identity& f, const task_work& work) {
  const detail::reduction_kind& kind = *work.folds[f.reduction];
  std::vector<std::byte> identity(kind.rhs_bytes);
  kind.set_identity(identity.data(), 1);
  return detail::fill_box(instance_of(f.is), nullptr, identity.data(), identity.size(), after_range{must_succeed_},
                          work.range.where);
}

event instruction_executor::start(const graph::fold& f, const task_work& work) {
  return detail::reduce_values(instance_of(f.from), instance_of(f.to), nullptr, *work.folds[f.reduction],
                               after_range{must_succeed_}, work.range.where);
}

event instruction_executor::start(const graph::compute& c, const task_work& work, bool check, task_outcome& out) {
  if (!c.uses.empty() && c.uses[0].is.number != 0) out.first = instance_of(c.uses[0].is);
  if (!has_succeeded(work.first)) must_succeed_.push_back(work.first);
  if (!work.code && !work.host) {
    out.ready = merge(must_succeed_, work.range.where);
    if (!c.uses.empty() && c.uses[0].is.number != 0) views_.push_back({c.uses[0].is, c.uses[0].part, work.ends});
    return out.ready;
  }
  const event done = work.code ? launch_kernel(c, work, check) : spawn_on_host(c, work, check);
  out.done = merge(out.done, done, work.range.where);
  return done;
}

std::vector<checked_view::argument> instruction_executor::arguments_to_check(const graph::compute& c,
                                                                             const task_work& work) const {
  const graph::task& t = *work.task;
  std::vector<checked_view::argument> all;
  for (std::size_t i = 0; i < work.arguments.size(); ++i) {
    const auto use = static_cast<std::size_t>(work.arguments[i].array);
    const detail::host_use_item& g = work.given[i];
    checked_view::argument& a = all.emplace_back();
    const graph::buffer_id b = work.arguments[i].of;
    const buffer_type& type = types_.at(b.number);
    a.buffer = describe(b, type.name);
    a.how = g.how;
    a.elements = g.elements;
    a.dimensions = type.is.dimensions;
    if (use < t.accesses.size()) {
      t.accesses[use].where.used_by(c.chunk, t.range, a.named);
      std::erase_if(a.named, [](const box& named) { return named.is_empty(); });
      a.mapper = text_of(*g.by, a.dimensions);
    } else {
      a.named = {c.uses[use].part};
      a.mapper = "reduce";
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (c.uses[static_cast<std::size_t>(work.arguments[i].array)].is.number !=
          c.uses[static_cast<std::size_t>(work.arguments[k].array)].is.number)
        continue;
      all[i].held.insert(all[i].held.end(), all[k].named.begin(), all[k].named.end());
      if (all[k].how != access::in)
        all[i].written.insert(all[i].written.end(), all[k].named.begin(), all[k].named.end());
    }
  return all;
}

event instruction_executor::spawn_on_host(const graph::compute& c, const task_work& work, bool check) {
  std::vector<detail::instance_handle> used;
  for (const launch_argument& a : work.arguments) {
    const graph::used_allocation& u = c.uses[static_cast<std::size_t>(a.array)];
    used.push_back(u.is.number ? instance_of(u.is) : empty_instance_of(a.of, c.by, work.range.where));
  }
  detail::task_request request = work.request;
  request.after_events = must_succeed_;
  const auto open = [used = std::move(used), where = work.range.where] {
    std::vector<detail::host_elements> given;
    for (const detail::instance_handle& h : used) {
      wait(detail::ready_event(h, where), where);
      detail::host_elements& e = given.emplace_back();
      e.first = detail::open_instance(h, e.shape, where);
    }
    return given;
  };
  if (!check)
    return detail::spawn_as(request, [f = *work.host, open, chunk = c.chunk] { f(chunk, open()); }, work.range.where);
  const checked_task is{work.task->name, c.chunk, work.range.where};
  return detail::spawn_as(
      request, [f = *work.host, open, is, all = arguments_to_check(c, work)] { run_checked(f, is, all, open()); },
      work.range.where);
}

const instruction_executor::checked_region& instruction_executor::region_to_check(const graph::compute& c,
                                                                                  std::size_t use,
                                                                                  const graph::task& t) {
  auto checked = std::make_unique<checked_region>(c.uses[use].part);
  if (use < t.accesses.size()) {  // else it reduces into all elements
    graph::used_boxes named;
    t.accesses[use].where.used_by(c.chunk, t.range, named);
    if (std::ranges::find(named, checked->all) == named.end())
      for (const box& b : named) {
        allowed_elements::one_box& one = checked->some.boxes.emplace_back();
        for (int a = 0; a < max_axes; ++a) one.min[a] = b.min()[a], one.max[a] = b.max()[a];
      }
  }
  return *checked_regions_.emplace_back(std::move(checked));
}

event instruction_executor::launch_kernel(const graph::compute& c, const task_work& work, bool check) {
  std::vector<detail::launch_item> items;
  for (const launch_argument& a : work.arguments) {
    detail::launch_item& item = items.emplace_back();
    if (a.array < 0) {
      item.value = a.value;
      item.local_elements = a.local_elements;
      continue;
    }
    const graph::used_allocation& used = c.uses[static_cast<std::size_t>(a.array)];
    item.array = used.is.number ? instance_of(used.is) : empty_instance_of(a.of, c.by, work.range.where);
    if (work.learns && static_cast<std::size_t>(a.array) < work.learned.size())
      item.touched = work.learns->observe(work.learned[static_cast<std::size_t>(a.array)], c.chunk);
    if (!check) continue;
    const checked_region& checked = region_to_check(c, static_cast<std::size_t>(a.array), *work.task);
    item.part = &checked.all;
    if (!checked.some.boxes.empty()) item.allowed = &checked.some;
  }
  kernel_range range = work.range;
  range.ids = c.chunk;
  if (range.is_of_groups) {
    point min, max;
    for (int a = 0; a < max_axes; ++a)
      min[a] = c.chunk.min()[a] / range.group[a], max[a] = c.chunk.max()[a] / range.group[a];
    range.ids = box::between(min, max);
  }
  detail::task_request request = work.request;
  request.after_events = must_succeed_;
  if (c.by + 1 < places_.size()) request.on = places_[c.by].processor;
  if (!work.measured) return detail::launch_kernel(*work.code, range, items, request);
  measured_window::part& part = work.measured->add(c.by, static_cast<double>(c.chunk.volume()));
  request.profile = &part.profile;
  return part.done = detail::launch_kernel(*work.code, range, items, request);
}

event instruction_executor::start(const graph::send& s, const task_work& work, base::thread_context& context) {
  data::other_nodes& others = *data::state_of(context).others;
  std::vector<event> all;
  // One message to each node, with all its elements.
  std::unordered_map<graph::node_number, std::vector<box>> by_node;
  for (const graph::sent_part& p : s.parts)
    for (const auto& nodes : p.to.intervals())
      for (graph::node_number n = nodes.first; n < nodes.last; ++n) by_node[n].push_back(p.where);
  for (const auto& [n, boxes] : by_node) {
    data::remote_operation_request r;
    r.what = data::remote_operation_request::action::copy;
    r.used = {others.posted_name(n, tag_of(s.by)), instance_of(s.from)};
    r.used_count = 2;
    r.is_whole = false;
    r.boxes = boxes;
    all.push_back(others.submit(r, after_range{must_succeed_}, work.range.where));
  }
  return merge(all, work.range.where);
}

event instruction_executor::start(const graph::receive& r, graph::instruction_id id, const task_work& work,
                                  base::thread_context& context) {
  std::vector<event> parts(r.parts.size());
  data::state_of(context).others->post(tag_of(r.by), instance_of(r.to), r.parts, parts, after_range{must_succeed_},
                                       work.range.where);
  const event all = merge(parts, work.range.where);
  if (parts.size() > 1) arrivals_[id.number] = {r.to, r.parts, std::move(parts)};
  return all;
}

event instruction_executor::start(const graph::arrive& a) { return arrivals_.at(a.of.number).ends[a.part]; }

}  // namespace stretto::buffers
