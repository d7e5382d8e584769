#include "objects/launch_preparation.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <cstring>
#include <span>

#include "base/tsan_ignore.hpp"
#include "data/kernel_arguments.hpp"
#include "data/launch_checks.hpp"
#include "device/native_code.hpp"
#include "event/event_floor.hpp"
#include "objects/launch_division.hpp"
#include "objects/object_checks.hpp"
#include "objects/split_by_speed.hpp"
#include "sched/counted_task.hpp"
#include "sched/handler_time.hpp"

namespace stretto {

namespace objects {

namespace {

/// While it lives, issue() leaves a short kernel to the submitting thread.
class inline_short_kernel {
 public:
  inline_short_kernel(objects_state& s, sched::task_record*& here, const objects_lock& in,
                      const sched::thread_state& thread) noexcept
      : state_(s) {
    if (s.issues_at_once() && !in.is_nested() && sched::can_run_counted(thread)) s.inline_task = &here;
  }
  inline_short_kernel(const inline_short_kernel&) = delete;
  ~inline_short_kernel() { state_.inline_task = nullptr; }

 private:
  objects_state& state_;
};

/// Copies the arguments into the task. `range`: the items of the whole launch, of which this task may be a part.
void keep_arguments(task& t, std::span<const detail::object_item> given, const box& range,
                    base::thread_context& context) {
  const kernel_code& code = *t.code;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const detail::object_item& item = given[i];
    if (!item.object) continue;
    object_record& o = usable(*item.object, "launch", context, t.where);
    object_use& u = t.uses.emplace_back(used_object(o), o.elements, usage_of(code.parameters[i]));
    if (!item.mapped && !item.is_tile) continue;
    u.where = item.mapped ? (*item.mapped)(data::items_of(*t.range), range) : item.part;
    require_inside(o, u.where, "launch", t.where);
  }
  const base::tsan_ignore_scope here;  // a kernel (code of the program) has read that memory before
  t.values.emplace(code, [&](std::size_t i, std::byte* at) {
    if (code.parameters[i].mode == access::value) std::memcpy(at, given[i].value, code.parameters[i].element_bytes);
    else std::memcpy(at, &given[i].local_elements, sizeof given[i].local_elements);
  });
}

constexpr std::string_view kind_names[] = {"host", "device", "cpu", "gpu", "accelerator"};
std::string_view to_string(device_kind kind) noexcept { return kind_names[static_cast<std::size_t>(kind)]; }

/// The kinds and the driver that the tags ask for.
std::string wanted_of(const detail::object_launch& request) {
  std::string what = request.kinds.are ? text_of(request.kinds) : "device";
  if (!request.driver.empty()) what += " of driver \"" + std::string(request.driver) + "\"";
  return what;
}

std::string names_of_places(const objects_state& s) {
  std::string names;
  for (const execution_place& at : s.execution_places) {
    names += (names.empty() ? "" : ", ") + std::string(at.view.name);
    if (at.device) names += " (" + std::string(to_string(at.kind)) + ")";
  }
  return names;
}

/// Restricts the task to the places that its tags name. Throws A06 if none of them is here.
void choose_places(task& t, const detail::object_launch& request) {
  const place wanted = request.on ? request.on : request.at;
  if (!wanted && !t.only_kinds.are && request.driver.empty()) return;
  bool possible = false, is_driven = request.driver.empty();
  for (const execution_place& s : t.state.execution_places) {
    if (wanted && (s.processor == wanted || s.memory == wanted)) t.only_place = s.view.index;
    if (s.view.kind == request.driver) t.only_driver = s.view.kind, is_driven = true;
  }
  for (const execution_place& s : t.state.execution_places) possible = possible || t.is_allowed_on(s);
  possible = possible && is_driven;
  if (possible && (!wanted || t.only_place != task::any_place)) return;
  error e("A06", t.describe() + (wanted ? " requires a place that runs no kernels"
                                        : " requires a " + wanted_of(request) + " that is not open"));
  e.fact("submitted", t.where);
  throw std::move(e)
      .fact("available", names_of_places(t.state))
      .remedy("open devices with STRETTO_DEVICES=all, or leave the choice to the runtime");
}

task_pointer make_launch(objects_state& s, const kernel_code& code, const kernel_range& range,
                         std::span<const detail::object_item> given, const detail::object_launch& request) {
  task_pointer t = task::make(s);
  t->code = &code;
  t->range = range;
  t->where = range.where;
  if (!request.name.empty()) t->given_name = request.name;
  t->urgency = request.priority;
  t->only_kinds = request.kinds;
  if (!code.in_groups) return t;
  for (int a = 0; a < max_axes; ++a) t->group_items *= range.group[a];
  for (std::size_t i = 0; i < given.size(); ++i)
    if (code.parameters[i].mode == access::local)
      t->local_bytes += static_cast<std::uint64_t>(given[i].local_elements) * code.parameters[i].element_bytes;
  return t;
}

/// Whether parts can run on different devices: the launch says which part of the range writes which elements.
bool is_divisible(const kernel_code& code, std::span<const detail::object_item> given) {
  if (device::computes_whole_launches(code)) return false;
  bool any = false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].mapped) any = true;
    else if (given[i].object && code.parameters[i].mode != access::in && code.parameters[i].mode != access::reduce)
      return false;
  }
  return any;
}

/// Checks the mappers of a launch that may be divided: whether range, mappers and objects fit, and whether items read
/// what others write.
void check_uses(const kernel_code& code, const kernel_range& range, std::span<const detail::object_item> given,
                const detail::object_launch& request, const extent& grain, base::thread_context& context) {
  // Checked for each launch, since mappers are functions. If one argument is read and written, cuts that matter are
  // found as A07, too.
  constexpr std::size_t most_parts = 16;
  const data::checked_launch l{
      .name = request.name.empty() ? std::string_view(code.name) : std::string_view(request.name),
      .code = &code,
      .items = data::items_of(range),
      .group = range.group,
      .where = range.where};
  const auto object_of = [&](std::size_t i) -> object_record& {
    return usable(*given[i].object, "launch", context, range.where);
  };
  const auto checked = [&](std::size_t i) -> data::checked_argument {
    const object_record& o = object_of(i);
    return {.number = i,
            .how = code.parameters[i].mode,
            .elements = o.elements,
            .axes = o.dimensions,
            .form = given[i].form};
  };
  const auto used_by = [&](std::size_t i) -> geometry::used_elements {
    const detail::object_item& item = given[i];
    if (item.mapped)
      return [&item, &l](const box& part, geometry::box_list& out) { out.push_back((*item.mapped)(part, l.items)); };
    return [all = item.is_tile ? item.part : object_of(i).elements](const box&, geometry::box_list& out) {
      out.push_back(all);
    };
  };
  // Whether both name the same elements for each item, and no other item has these elements.
  const auto keep_apart = [&](const detail::object_item& a, const detail::object_item& b) {
    using kind = detail::mapper_form::kind;
    if (!a.mapped || !b.mapped || a.form.is != b.form.is) return false;
    if (a.form.is == kind::one_to_one) return true;
    return a.form.is == kind::slice && a.form.axis == b.form.axis && l.items.length(a.form.axis) <= 1;
  };
  for (std::size_t w = 0; w < given.size(); ++w) {
    if (!given[w].mapped) continue;
    const auto text = [&] { return describe(object_of(w)); };
    data::check_axes(l, checked(w), text);
    const access how = code.parameters[w].mode;
    if (how != access::out && how != access::inout) continue;
    for (std::size_t r = 0; r < given.size(); ++r) {
      const access also = code.parameters[r].mode;
      if (!given[r].object || (also != access::in && also != access::inout) ||
          given[r].object->get() != given[w].object->get())
        continue;
      if (keep_apart(given[r], given[w])) continue;
      const geometry::divisible_range all{.items = l.items, .grain = grain};
      const geometry::used_elements written = used_by(w);
      const auto found = r == w ? geometry::find_use_conflict(all, geometry::first_cuts, written)
                                : geometry::find_use_conflict(all, most_parts, used_by(r), &written);
      if (found) data::refuse_conflict(l, *found, checked(r), checked(w), text);
    }
  }
}

/// Makes the tasks of a divided launch.
void make_parts(objects_state& s, const kernel_code& code, const kernel_range& range,
                std::span<const detail::object_item> given, const detail::object_launch& request,
                base::thread_context& context, std::span<const box> ids, launch_tasks& made) {
  for (const box& mine : ids) {
    if (mine.is_empty()) continue;
    kernel_range part = range;
    part.ids = mine;
    made.push_back(make_launch(s, code, part, given, request));
    keep_arguments(*made.back(), given, data::items_of(range), context);
  }
  refuse_overlapping_writes({made.data(), made.size()});
}

}  // namespace

void prepare(objects_state& s, const kernel_code& code, const kernel_range& range,
             std::span<const detail::object_item> given, const detail::object_launch& request,
             base::thread_context& context, launch_tasks& made) {
  data::refuse_wrong_range(code, range);
  task_pointer whole = make_launch(s, code, range, given, request);
  choose_places(*whole, request);
  const bool can_be_divided = is_divisible(code, given);
  extent grain = unit;  // in ids
  const bool is_mapped = std::ranges::any_of(given, [](const detail::object_item& i) { return i.mapped != nullptr; });
  if (is_mapped || request.multiple != unit) {
    const extent in_items =
        request.multiple == unit ? range.group : data::grain_of(range.group, request.multiple, range.ids, range.where);
    check_uses(code, range, given, request, in_items, context);
    for (int a = 0; a < max_axes; ++a) grain[a] = in_items[a] / range.group[a];
  }
  const std::vector<share> shares = can_be_divided ? divide(*whole, grain, s) : std::vector<share>();
  if (shares.size() < 2) {
    keep_arguments(*whole, given, data::items_of(range), context);
    // with one device, checks report what several would refuse
    if (can_be_divided && s.check && range.ids.volume() > 1) {
      const device_speed equal[] = {{1}, {1}};
      launch_tasks halves;
      make_parts(s, code, range, given, request, context,
                 split_by_speed(range.ids, equal, grain_of_cut(range.ids, grain)), halves);
    }
    if (!shares.empty()) whole->assigned_place = shares.front().of;
    made.push_back(std::move(whole));
    return;
  }
  std::vector<box> ids;
  for (const share& mine : shares) ids.push_back(mine.ids);
  make_parts(s, code, range, given, request, context, ids, made);
  for (std::size_t n = 0; n < shares.size(); ++n) {
    made[n]->only_place = whole->only_place;
    made[n]->assigned_place = shares[n].of;
  }
}

std::string text_of(on_kinds kinds) {
  std::string text;
  for (std::size_t k = 0; k < std::size(kind_names); ++k)
    if (kinds.has(static_cast<device_kind>(k))) text += (text.empty() ? "" : " or ") + std::string(kind_names[k]);
  return text;
}

devices_of_launch devices_for(const base::runtime_context& runtime, const kernel_code& code, const kernel_range& range,
                              const detail::object_launch& request) {
  const objects_state& s = *state_of(runtime);
  const auto devices = std::span(s.execution_places).subspan(1);
  devices_of_launch found;
  std::size_t taken = 0;
  for (std::size_t d = 0; d < devices.size(); ++d)
    if (devices[d].is_of(request.kinds, request.driver)) found.some |= std::uint64_t{1} << d, ++taken;
  if (taken == devices.size()) found.some = 0;
  if (taken != 0) return found;
  found.on_host = (request.driver.empty() || request.driver == "host") &&
                  (!request.kinds.are || request.kinds.has(device_kind::host));
  if (found.on_host) return found;
  throw error("B28", "launch \"" + std::string(request.name.empty() ? code.name : request.name) + "\" requires a " +
                         wanted_of(request) + ", and this node has none")
      .fact("submitted", range.where)
      .fact("available", names_of_places(s))
      .because("each node runs a part of a launch on buffers, on those of its devices that the launch may use")
      .remedy("also name device_kind::host, for nodes without such a device, or open one with STRETTO_DEVICES");
}

event submit_prepared(task_pointer t, std::span<const event> after, std::span<const predecessor> behind,
                      base::thread_context& context, task_id* id) {
  task* const mine = t.release();
  const event done = mine->done = detail::make_event(context, mine->where);
  const task_id its = submit(mine, after, behind, context);
  if (id) *id = its;
  return done;
}

std::vector<event> precondition_events(const detail::task_request& request, base::thread_context& context,
                                       const std::source_location& where) {
  std::vector<event> after(request.after_events.begin(), request.after_events.end());
  for (const dependency& d : request.after)
    after.push_back(d.task() ? detail::event_of(*d.task(), context, where) : d.as_event());
  return after;
}

}  // namespace objects

event detail::launch_on_objects(const kernel_code& code, const kernel_range& range, std::span<const object_item> given,
                                const object_launch& request) {
  base::thread_context& context = base::require_current("launch");
  objects::objects_state& s = *objects::state_of(*context.runtime);
  auto& thread = static_cast<sched::thread_state&>(context);
  sched::task_record* short_one = nullptr;
  const auto submitted = [&]() -> event {
    const objects::objects_lock in(s, context);
    std::vector<event> after;
    if (!request.after.empty() || !request.after_events.empty())
      after = objects::precondition_events(request, context, range.where);
    objects::launch_tasks parts;
    objects::prepare(s, code, range, given, request, context, parts);
    for (const objects::task_pointer& t : parts) t->counted_for = sched::device_time_of(thread);
    if (parts.size() == 1) {
      const objects::inline_short_kernel itself(s, short_one, in, thread);
      return objects::submit_prepared(std::move(parts.front()), after, {}, context);
    }
    std::vector<event> done;
    for (objects::task_pointer& t : parts) done.push_back(objects::submit_prepared(std::move(t), after, {}, context));
    return merge(done, range.where);
  };
  const event done = submitted();
  if (short_one) sched::run_counted(thread, *short_one);
  return done;
}

}  // namespace stretto
