#include "buffers/launch_request.hpp"

#include <algorithm>

#include "buffers/call_signatures.hpp"
#include "buffers/launch_pipeline.hpp"
#include "buffers/mapper_conversion.hpp"
#include "data/kernel_arguments.hpp"
#include "data/launch_checks.hpp"
#include "device/native_code.hpp"
#include "graph/cut_validity.hpp"

namespace stretto::buffers {

namespace {

void take_hints(graph::task& t, const detail::range_hints& hints, const std::source_location& where) {
  if (hints.is_in_tiles) t.how = graph::cut::in_tiles;
  t.pieces = std::max(hints.pieces, 1u);
  if (hints.multiple != unit) t.grain = data::grain_of(t.grain, hints.multiple, t.range, where);
}

/// Keeps the launch in one chunk, on one device of the first node.
void keep_whole(graph::task& t) {
  t.pieces = 1;
  for (int a = 0; a < max_axes; ++a) t.grain[a] = std::max({t.grain[a], t.range.max()[a], -t.range.min()[a]});
}

graph::task_kind kind_of_nodes(detail::nodes_of_task which) noexcept {
  switch (which) {
    case detail::nodes_of_task::chunks: return graph::task_kind::kernel;
    case detail::nodes_of_task::one: return graph::task_kind::one;
    case detail::nodes_of_task::each: return graph::task_kind::each;
    case detail::nodes_of_task::collective: return graph::task_kind::collective;
  }
  return graph::task_kind::kernel;
}

graph::mode mode_of(access a) noexcept {
  return a == access::in ? graph::mode::read : a == access::out ? graph::mode::write : graph::mode::read_write;
}

/// The maximum number of parts into which this node divides its chunk.
double most_parts_of_node(const buffers_state& s, const graph::task& t) noexcept {
  return static_cast<double>(s.instructions.shape().devices.size() + 1) * t.pieces;
}

/// Builds the arguments of a launch: accesses, then reductions.
class argument_list {
 public:
  argument_list(buffers_state& s, cached_launch& of) : state_(s), of_(of) {}
  ~argument_list() {
    for (const std::size_t i : reductions_) of_.arguments[i].array += static_cast<int>(of_.task.accesses.size());
  }

  /// The size of all named buffers, with the partial values of reductions: an upper bound of the memory that one device
  /// needs.
  double most_bytes() const noexcept { return bytes_; }

  void use(const buffer_record& b, access how, const detail::range_mapper& by) {
    bytes_ += bytes_of(b);
    of_.arguments.push_back({.array = static_cast<int>(of_.task.accesses.size()), .of = b.id});
    of_.task.accesses.push_back({b.id, mode_of(how), mapping_of(state_, by, b.elements)});
  }
  /// Lets every chunk use the whole buffer, and records its use next to the given mapper.
  void learn(const buffer_record& b, const kernel_code& code, std::size_t parameter, const detail::range_mapper& by,
             const std::source_location& where) {
    use(b, code.parameters[parameter].mode, by);
    graph::access& a = of_.task.accesses.back();
    of_.learned.push_back({&code, parameter, where, describe(b), b.type.dimensions, a.where,
                           text_of(by, b.type.dimensions), of_.task.range});
    a.where = graph::mapping::all(b.elements);
  }
  void reduce(const buffer_record& b, const detail::reduction_kind& fold, bool includes_current) {
    bytes_ += bytes_of(b) * most_parts_of_node(state_, of_.task);
    reductions_.push_back(of_.arguments.size());
    of_.arguments.push_back({.array = static_cast<int>(of_.task.reductions.size()), .of = b.id});
    of_.task.reductions.push_back({b.id, includes_current});
    of_.folds.push_back(&fold);
  }
  void value() { of_.arguments.push_back({}); }

 private:
  static double bytes_of(const buffer_record& b) noexcept {
    return static_cast<double>(b.elements.volume()) * static_cast<double>(b.type.bytes);
  }

  buffers_state& state_;
  cached_launch& of_;
  std::vector<std::size_t> reductions_;  // indices of the arguments that are reductions
  double bytes_ = 0;
};

/// True if the smallest device memory holds all buffers of the task twice: then no cut of it fails with B24.
bool fits_for_any_cut(const buffers_state& s, const graph::task& t, double most_bytes) {
  if (t.by == graph::processors::host) return true;
  const double allocations = most_parts_of_node(s, t) * static_cast<double>(t.accesses.size() + t.reductions.size());
  const auto has_room = [&](const graph::memory_bounds& m) {
    return m.bytes == 0 ||
           2 * (most_bytes + static_cast<double>(m.grain) * allocations) <= static_cast<double>(m.bytes);
  };
  return std::ranges::all_of(s.instructions.shape().bounds, has_room);
}

bool cannot_be_refused(const buffers_state& s, const graph::task& t, double most_bytes) {
  return graph::is_valid_for_any_cut(t, s.commands.nodes()) && fits_for_any_cut(s, t, most_bytes);
}

void add(launch_key& key, const detail::range_hints& hints) {
  const bool is_constrained = hints.multiple != unit;
  key.add(std::uint64_t{is_constrained} << 33 | std::uint64_t{hints.is_in_tiles} << 32 | hints.pieces);
  if (is_constrained)
    for (int a = 0; a < max_axes; ++a) key.add(static_cast<std::uint64_t>(hints.multiple[a]));
}
void add(launch_key& key, const buffer_record& b, access how, const detail::range_mapper* by,
         const detail::reduction_kind* fold, bool includes_current) {
  key.add(std::uint64_t{b.id.number} << 16 | static_cast<std::uint64_t>(how) << 8 | includes_current);
  if (fold) key.add(fold);
  else key.add(*by);
}

}  // namespace

std::shared_ptr<cached_launch> launch_request::find_by_key(buffers_state& s) const {
  std::shared_ptr<cached_launch> cached = s.launches.find(s.key, name_, [&](cached_launch& made) { make(s, made); });
  if (!cached->are_uses_checked && !s.learns) {
    check(cached->task);
    cached->are_uses_checked = true;
  }
  return cached;
}

std::shared_ptr<cached_launch> launch_request::find(buffers_state& s) const {
  write_key(s, s.key);
  return find_by_key(s);
}

std::shared_ptr<cached_launch> launch_request::find_for_pipeline(buffers_state& s) const {
  if (!s.pending) return nullptr;
  write_key(s, s.key);
  if (!s.key.has_functions()) return find_by_key(s);
  std::shared_ptr<cached_launch> cached = s.launches.find_cached(s.key, name_);
  return cached && cached->are_uses_checked ? cached : nullptr;
}

void kernel_launch_request::write_key(const buffers_state& s, launch_key& key) const {
  key.clear();
  key.add(&code_);
  key.add(range_.ids);
  key.add(std::uint64_t{range_.is_of_groups} << 1 | by_.on_host);
  key.add(by_.some);
  if (range_.is_of_groups)
    for (int a = 0; a < max_axes; ++a) key.add(static_cast<std::uint64_t>(range_.group[a]));
  add(key, request_.hints);
  if (s.learns) key.add(std::uint64_t{where_.line()} << 32 | where_.column());  // observations are kept by source line
  for (std::size_t i = 0; i < items_.size(); ++i)
    if (const detail::buffer_item& item = items_[i]; item.buffer)
      add(key, **item.buffer, code_.parameters[i].mode, item.by, item.fold, item.includes_current);
}

void kernel_launch_request::make(buffers_state& s, cached_launch& made) const {
  graph::task& t = made.task;
  t.range = data::items_of(range_);
  if (range_.is_of_groups) t.grain = range_.group;
  t.name = name_;
  if (by_.on_host || s.learns) t.by = graph::processors::host;
  t.devices = by_.some;
  take_hints(t, request_.hints, where_);
  if (!by_.on_host && device::computes_whole_launches(code_)) keep_whole(t);
  if (s.learns) t.how = graph::cut::in_tiles, t.pieces = 4;  // tiles, whose chunks differ along two axes
  if (s.guard) made.call = signature_of_launch(code_, range_, items_, request_);
  argument_list arguments(s, made);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const detail::buffer_item& item = items_[i];
    if (!item.buffer) arguments.value();
    else if (item.fold) arguments.reduce(**item.buffer, *item.fold, item.includes_current);
    else if (s.learns) arguments.learn(**item.buffer, code_, i, *item.by, where_);
    else arguments.use(**item.buffer, code_.parameters[i].mode, *item.by);
  }
  made.is_never_refused = cannot_be_refused(s, t, arguments.most_bytes());
}

void kernel_launch_request::check(const graph::task& t) const {
  std::vector<argument_use> uses;
  for (std::size_t i = 0; i < items_.size(); ++i)
    if (items_[i].buffer && !items_[i].fold)
      uses.push_back({i, code_.parameters[i].mode, items_[i].buffer->get(), items_[i].by});
  check_uses(t, uses, {.name = name_, .code = &code_, .items = t.range, .group = range_.group, .where = where_});
}

void host_task_launch_request::write_key(const buffers_state&, launch_key& key) const {
  key.clear();
  key.add(static_cast<std::uint64_t>(which_.are) << 32 | which_.group);
  key.add(range_);
  add(key, hints_);
  key.add(effects_.size());  // the fields that follow have a variable length, too
  for (const graph::effect_use& e : effects_) key.add(e.key());
  for (const detail::host_use_item& i : items_) add(key, **i.buffer, i.how, i.by, i.fold, i.includes_current);
}

void host_task_launch_request::make(buffers_state& s, cached_launch& made) const {
  graph::task& t = made.task;
  t.kind = kind_of_nodes(which_.are);
  t.group = which_.group;
  t.by = graph::processors::host;
  t.range = range_;
  t.name = name_;
  t.effects = effects_;
  t.is_by_chunk = true;
  take_hints(t, hints_, where_);
  if (s.guard) made.call = signature_of_host_task(which_, range_, items_, effects_, hints_);
  argument_list arguments(s, made);
  for (const detail::host_use_item& i : items_) {
    if (i.fold) arguments.reduce(**i.buffer, *i.fold, i.includes_current);
    else arguments.use(**i.buffer, i.how, *i.by);
  }
  made.is_never_refused = cannot_be_refused(s, t, arguments.most_bytes());
}

void host_task_launch_request::check(const graph::task& t) const {
  std::vector<argument_use> uses;
  for (std::size_t i = 0; i < items_.size(); ++i)
    if (!items_[i].fold) uses.push_back({i, items_[i].how, items_[i].buffer->get(), items_[i].by});
  check_uses(t, uses, {.name = name_, .items = range_, .where = where_});
}

}  // namespace stretto::buffers
