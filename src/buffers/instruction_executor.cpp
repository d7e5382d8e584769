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
#include "graph/overloaded.hpp"
#include "graph/effect_order.hpp"
#include "objects/cleared_range.hpp"

namespace stretto::buffers {
namespace {

/// Where an instruction uses all that an allocation has.
constexpr coordinate far_off = std::numeric_limits<coordinate>::max() / 4;
const box anywhere = box::between(point(-far_off, -far_off, -far_off), point(far_off, far_off, far_off));

}  // namespace

std::string describe(graph::buffer_id b, const std::string& name) {
  return "buffer B" + std::to_string(b.number) + (name.empty() ? "" : " \"" + name + "\"");
}

void execution::add(graph::buffer_id b, const element_type& type, std::string name) { types_[b.number] = {type, std::move(name)}; }

void execution::remove(graph::buffer_id b) {
  const auto found = types_.find(b.number);
  if (found == types_.end()) return;
  if (!found->second.nothing.empty()) {
    std::vector<event> all;
    for (const passed& p : ends_) all.push_back(ignore_failure(p.end));
    for (const auto& [on, empty] : found->second.nothing)
      detail::destroy_instance(empty.is, after_range{all}, std::source_location());
  }
  types_.erase(found);
}

detail::instance_handle execution::make(graph::buffer_id b, place memory, const box& elements, const data::wish& at,
                                        const std::source_location& where, base::thread_context& context) const {
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

data::wish execution::place_of_nothing(graph::processor_number on, std::uint64_t number,
                                       base::thread_context& context) const {
  const data::memory_space& space = *data::state_of(context).find(sites_[on].memory);
  const std::uint64_t grain = space.taken_by(1);
  const bool has_end = on + 1 < sites_.size() && space.capacity() > grains_for_nothing * grain;
  if (!has_end || number >= grains_for_nothing) return {.is_at_end = true};
  return {.offset = space.capacity() - (number + 1) * grain};
}

detail::instance_handle execution::nothing_of(graph::buffer_id b, graph::processor_number on,
                                              const std::source_location& where) {
  base::thread_context& context = base::require_current("launch");
  buffer_type::empty_instance& mine = types_.at(b.number).nothing[on];
  if (mine.is.record) return mine.is;
  const auto is_taken = [&](std::uint64_t number) {
    return std::ranges::any_of(types_, [&](const auto& t) {
      const auto other = t.second.nothing.find(on);
      return other != t.second.nothing.end() && other->second.is.record && other->second.number == number;
    });
  };
  std::uint64_t number = 0;
  while (is_taken(number)) ++number;
  return (mine = {make(b, sites_[on].memory, box(), place_of_nothing(on, number, context), where, context), number}).is;
}

std::optional<graph::memory_number> execution::memory_number_of(place memory) const {
  const auto found = std::ranges::find(sites_.begin(), sites_.end() - 1, memory, &site::memory);
  if (found == sites_.end() - 1) return std::nullopt;
  return static_cast<graph::memory_number>(found - sites_.begin() + 1);
}

place execution::memory_of(graph::memory_number m) const {
  if (m == 0) return sites_.back().memory;
  return sites_[m - 1u].memory;
}

task_outcome execution::run(std::span<const graph::instruction> all, const task_work& work, bool check, base::thread_context& context) {
  task_outcome out;
  for (const graph::instruction& i : all) {
    if (std::holds_alternative<graph::pass_horizon>(i.what) || std::holds_alternative<graph::pass_epoch>(i.what)) {
      pass(i, work);
      continue;
    }
    event end;
    try {
      find_whom_to_follow(i, work);
      end = begin(i, work, check, out, context);
    } catch (...) {
      const user_event failed = user_event::create(work.range.where);
      failed.poison(std::current_exception(), work.range.where);
      end = failed;
      if (std::holds_alternative<graph::compute>(i.what)) out.done = merge(out.done, end, work.range.where);
      if (const auto* a = std::get_if<graph::allocate>(&i.what)) failed_allocations_[a->is.number] = std::current_exception();
    }
    keep_end(i, work, end);
  }
  return out;
}

void execution::pass(const graph::instruction& i, const task_work& work) {
  behind_.clear();
  for (const std::uint64_t f : i.follows) {
    const passed& before = end_of(f);
    const event all = before.is_epoch ? ignore_failure(before.end, work.range.where) : before.with_failures;
    if (!has_succeeded(all)) behind_.push_back(all);
  }
  const event all = merge(behind_, work.range.where);
  const bool is_epoch = std::holds_alternative<graph::pass_epoch>(i.what);
  ends_.push_back({is_epoch ? all : ignore_failure(all, work.range.where), all, is_epoch});
  // The one before is applied: nothing older is asked for.
  const std::uint64_t applied = is_epoch ? i.id.number : horizon_;
  horizon_ = i.id.number;
  ends_.erase(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(applied - first_));
  first_ = applied;
  std::erase_if(arrivals_, [&](const auto& a) { return a.first < applied; });
  unsettled_.settle();
  std::erase_if(effects_, [](const auto& e) { return has_succeeded(e.second); });
  passed_.push_back({ends_.back().end, std::move(parts_)});
  parts_.clear();
}

template <class F>
void execution::each_use(const graph::instruction& i, const task_work& work, F f) const {
  const auto each = [&](graph::allocation_id a, const std::vector<box>& parts, bool reads, bool writes) {
    for (const box& b : parts) f(a.number, b, reads, writes);
  };
  if (const auto* c = std::get_if<graph::compute>(&i.what)) {
    const bool only_looks = !work.code && !work.host;
    for (std::size_t n = 0; n < c->uses.size(); ++n) {
      const bool is_access = work.task && n < work.task->accesses.size();
      if (c->uses[n].is.number == 0) continue;
      f(c->uses[n].is.number, c->uses[n].part, !is_access || graph::reads(work.task->accesses[n].how),
        !only_looks && (!is_access || graph::writes(work.task->accesses[n].how)));
    }
  } else if (const auto* copied = std::get_if<graph::copy>(&i.what)) {
    each(copied->from, copied->parts, true, false);
    each(copied->to, copied->parts, false, true);
  } else if (const auto* sent = std::get_if<graph::send>(&i.what)) {
    for (const graph::sent_part& p : sent->parts) f(sent->from.number, p.where, true, false);
  } else if (const auto* received = std::get_if<graph::receive>(&i.what)) {
    if (received->parts.size() == 1) each(received->to, received->parts, false, true);  // else as its parts arrive
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

void execution::find_whom_to_follow(const graph::instruction& i, const task_work& work) {
  behind_.clear();
  ended_.clear();
  each_use(i, work, [&](std::uint64_t allocation, const box& part, bool reads, bool) {
    if (reads) unsettled_.before_reading(allocation, part, behind_);
  });
  if (std::holds_alternative<graph::compute>(i.what) && work.task)
    graph::effect_order::each(*work.task, [&](std::uint64_t key, bool) {
      if (const auto last = effects_.find(key); last != effects_.end() && !has_succeeded(last->second)) behind_.push_back(last->second);
    });
  if (!std::holds_alternative<graph::arrive>(i.what))
    for (const std::uint64_t f : i.follows) {
      const event end = end_of(f).end;
      if (!end.has_triggered() && std::ranges::find(behind_, end) == behind_.end()) ended_.push_back(end);
    }
  if (!views_.empty()) wait_for_views(i, work);
  if (ended_.empty()) return;
  const event others = ignore_failure(merge(ended_, work.range.where), work.range.where);
  if (others != event()) behind_.push_back(others);
}

void execution::keep_end(const graph::instruction& i, const task_work& work, event end) {
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

detail::instance_handle execution::instance_of(graph::allocation_id a) const {
  if (const auto failed = failed_allocations_.find(a.number); failed != failed_allocations_.end()) std::rethrow_exception(failed->second);
  return allocations_.at(a.number);
}

void execution::wait_for_views(graph::allocation_id in, std::span<const box> parts) {
  for (const kept_view& v : views_)
    if (v.of == in && std::ranges::any_of(parts, [&](const box& b) { return b.meets(v.part); }))
      ended_.push_back(v.ends);
}

void execution::wait_for_views(const graph::instruction& i, const task_work& work) {
  std::erase_if(views_, [](const kept_view& v) { return v.ends.has_triggered(); });
  const auto whole = [&](graph::allocation_id in) {
    for (const kept_view& v : views_)
      if (v.of == in) ended_.push_back(v.ends);
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

event execution::last(std::size_t instructions, const std::source_location& where) const {
  std::vector<event> all;
  for (auto p = ends_.end() - static_cast<std::ptrdiff_t>(instructions); p != ends_.end(); ++p) all.push_back(p->end);
  return merge(all, where);
}

event execution::behind_by(std::size_t most) {
  while (!passed_.empty() && passed_.front().reached.has_triggered()) passed_.pop_front();
  return passed_.size() > most ? passed_[passed_.size() - most - 1].reached : event();
}

event execution::begin(const graph::instruction& i, const task_work& work, bool check, task_outcome& out, base::thread_context& context) {
  return std::visit(graph::by_kind{
                        [&](const graph::compute& c) { return do_one(c, work, check, out); },
                        [&](const graph::copy& c) { return do_one(c, work); },
                        [&](const graph::send& s) { return do_one(s, work, context); },
                        [&](const graph::fill_identity& f) { return do_one(f, work); },
                        [&](const graph::fold& f) { return do_one(f, work); },
                        [&](const graph::receive& r) { return do_one(r, i.id, work, context); },
                        [&](const graph::arrive& a) { return do_one(a); },
                        [&](const graph::allocate& a) { return do_one(a, work, context); },
                        [&](const graph::release& r) { return do_one(r, work); },
                        [](const graph::pass_horizon&) { return event(); },  // `pass` does both
                        [](const graph::pass_epoch&) { return event(); },
                    },
                    i.what);
}

event execution::do_one(const graph::allocate& a, const task_work& work, base::thread_context& context) {
  // The creation waits for those that have its addresses, whose releases have been submitted; operations wait for it.
  const data::wish at{.offset = a.offset};
  allocations_[a.is.number] = make(a.of, memory_of(a.where), a.elements, at, work.range.where, context);
  return {};
}

event execution::do_one(const graph::release& r, const task_work& work) {
  const auto found = allocations_.find(r.is.number);
  if (found == allocations_.end()) return failed_allocations_.erase(r.is.number), event();
  const detail::instance_handle h = found->second;
  allocations_.erase(found);
  return detail::destroy_instance(h, after_range{behind_}, work.range.where);
}

event execution::do_one(const graph::copy& c, const task_work& work) {
  return detail::copy_boxes(instance_of(c.to), instance_of(c.from), c.parts, {}, after_range{behind_}, work.range.where);
}

event execution::do_one(const graph::fill_identity& f, const task_work& work) {
  const detail::reduction_kind& kind = *work.folds[f.reduction];
  std::vector<std::byte> identity(kind.rhs_bytes);
  kind.set_identity(identity.data(), 1);
  return detail::fill_box(instance_of(f.is), nullptr, identity.data(), identity.size(), after_range{behind_}, work.range.where);
}

event execution::do_one(const graph::fold& f, const task_work& work) {
  return detail::reduce_values(instance_of(f.from), instance_of(f.to), nullptr, *work.folds[f.reduction], after_range{behind_}, work.range.where);
}

event execution::do_one(const graph::compute& c, const task_work& work, bool check, task_outcome& out) {
  if (!c.uses.empty() && c.uses[0].is.number != 0) out.first = instance_of(c.uses[0].is);
  if (!has_succeeded(work.first)) behind_.push_back(work.first);
  if (!work.code && !work.host) {
    out.ready = merge(behind_, work.range.where);
    if (!c.uses.empty() && c.uses[0].is.number != 0) views_.push_back({c.uses[0].is, c.uses[0].part, work.ends});
    return out.ready;
  }
  const event done = work.code ? launch_kernel(c, work, check) : spawn_on_host(c, work, check);
  out.done = merge(out.done, done, work.range.where);
  return done;
}

std::vector<checked_view::argument> execution::arguments_to_check(const graph::compute& c, const task_work& work) const {
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
      if (c.uses[static_cast<std::size_t>(work.arguments[i].array)].is.number != c.uses[static_cast<std::size_t>(work.arguments[k].array)].is.number) continue;
      all[i].held.insert(all[i].held.end(), all[k].named.begin(), all[k].named.end());
      if (all[k].how != access::in) all[i].written.insert(all[i].written.end(), all[k].named.begin(), all[k].named.end());
    }
  return all;
}

event execution::spawn_on_host(const graph::compute& c, const task_work& work, bool check) {
  std::vector<detail::instance_handle> used;
  for (const launch_argument& a : work.arguments) {
    const graph::used_allocation& u = c.uses[static_cast<std::size_t>(a.array)];
    used.push_back(u.is.number ? instance_of(u.is) : nothing_of(a.of, c.by, work.range.where));
  }
  detail::task_request request = work.request;
  request.after_events = behind_;
  const auto open = [used = std::move(used), where = work.range.where] {
    std::vector<detail::host_elements> given;
    for (const detail::instance_handle& h : used) {
      wait(detail::ready_event(h, where), where);
      detail::host_elements& e = given.emplace_back();
      e.first = detail::open_instance(h, e.shape, where);
    }
    return given;
  };
  if (!check) return detail::spawn_as(request, [f = *work.host, open, chunk = c.chunk] { f(chunk, open()); }, work.range.where);
  const checked_task is{work.task->name, c.chunk, work.range.where};
  return detail::spawn_as(request, [f = *work.host, open, is, all = arguments_to_check(c, work)] { run_checked(f, is, all, open()); }, work.range.where);
}

const execution::told_part& execution::tell_part(const graph::compute& c, std::size_t use, const graph::task& t) {
  auto told = std::make_unique<told_part>(c.uses[use].part);
  if (use < t.accesses.size()) {  // else all of what it reduces into
    graph::used_boxes named;
    t.accesses[use].where.used_by(c.chunk, t.range, named);
    if (std::ranges::find(named, told->all) == named.end())
      for (const box& b : named) {
        allowed_elements::one_box& one = told->some.boxes.emplace_back();
        for (int a = 0; a < max_axes; ++a) one.min[a] = b.min()[a], one.max[a] = b.max()[a];
      }
  }
  return *parts_.emplace_back(std::move(told));
}

event execution::launch_kernel(const graph::compute& c, const task_work& work, bool check) {
  std::vector<detail::launch_item> items;
  for (const launch_argument& a : work.arguments) {
    detail::launch_item& item = items.emplace_back();
    if (a.array < 0) {
      item.value = a.value;
      item.local_elements = a.local_elements;
      continue;
    }
    const graph::used_allocation& used = c.uses[static_cast<std::size_t>(a.array)];
    item.array = used.is.number ? instance_of(used.is) : nothing_of(a.of, c.by, work.range.where);
    if (work.learns && static_cast<std::size_t>(a.array) < work.learned.size())
      item.touched = work.learns->note(work.learned[static_cast<std::size_t>(a.array)], c.chunk);
    if (!check) continue;
    const told_part& told = tell_part(c, static_cast<std::size_t>(a.array), *work.task);
    item.part = &told.all;
    if (!told.some.boxes.empty()) item.allowed = &told.some;
  }
  kernel_range range = work.range;
  range.ids = c.chunk;
  if (range.is_of_groups) {
    point min, max;
    for (int a = 0; a < max_axes; ++a) min[a] = c.chunk.min()[a] / range.group[a], max[a] = c.chunk.max()[a] / range.group[a];
    range.ids = box::between(min, max);
  }
  detail::task_request request = work.request;
  request.after_events = behind_;
  if (c.by + 1 < sites_.size()) request.on = sites_[c.by].processor;
  if (!work.measured) return detail::launch_kernel(*work.code, range, items, request);
  measured_window::part& part = work.measured->add(c.by, static_cast<double>(c.chunk.volume()));
  request.profile = &part.took;
  return part.done = detail::launch_kernel(*work.code, range, items, request);
}

event execution::do_one(const graph::send& s, const task_work& work, base::thread_context& context) {
  data::other_nodes& others = *data::state_of(context).others;
  std::vector<event> all;
  // A message to each node, of all that it gets.
  std::unordered_map<graph::node_number, std::vector<box>> by_node;
  for (const graph::sent_part& p : s.parts)
    for (const auto& nodes : p.to.intervals())
      for (graph::node_number n = nodes.first; n < nodes.last; ++n) by_node[n].push_back(p.where);
  for (const auto& [n, boxes] : by_node) {
    data::far_request r;
    r.what = data::far_request::verb::copy;
    r.used = {others.posted_name(n, number_of(s.by)), instance_of(s.from)};
    r.used_count = 2;
    r.is_whole = false;
    r.boxes = boxes;
    all.push_back(others.submit(r, after_range{behind_}, work.range.where));
  }
  return merge(all, work.range.where);
}

event execution::do_one(const graph::receive& r, graph::instruction_id id, const task_work& work, base::thread_context& context) {
  std::vector<event> parts(r.parts.size());
  data::state_of(context).others->post(number_of(r.by), instance_of(r.to), r.parts, parts, after_range{behind_}, work.range.where);
  const event all = merge(parts, work.range.where);
  if (parts.size() > 1) arrivals_[id.number] = {r.to, r.parts, std::move(parts)};
  return all;
}

event execution::do_one(const graph::arrive& a) { return arrivals_.at(a.of.number).ends[a.part]; }

}  // namespace stretto::buffers
