#include "data/replica_set.hpp"

#include <algorithm>
#include <utility>

namespace stretto::data {

namespace {

void append(std::vector<token>& to, token t) {
  if (t == 0) return;
  // Lists are short, and adjacent tokens are often equal.
  const std::size_t from = to.size() > 8 ? to.size() - 8 : 0;
  if (std::find(to.begin() + static_cast<std::ptrdiff_t>(from), to.end(), t) == to.end()) to.push_back(t);
}

}  // namespace

replica_set::replica_set(std::uint32_t element_bytes, cost_function cost, std::function<bool(token)> has_passed,
                         std::function<std::uint64_t(memory_number)> most_joined)
    : element_bytes_(element_bytes),
      cost_(std::move(cost)),
      has_passed_(std::move(has_passed)),
      most_joined_(std::move(most_joined)) {}

// Calls f(id) for all replicas that share an element with the box.
template <class F>
void replica_set::for_each_meeting(const box& where, F f) const {
  auto met = std::move(met_);  // f may call this function
  met.clear();
  for (const auto& index : index_) index.find(where, met);
  for (const auto& e : met) f(replica_id{e.number});
  for (const replica_id r : superseded_)
    if (at(r).where.meets(where)) f(r);
  met_ = std::move(met);
}

std::uint64_t replica_set::count_valid(const replica& r, const box& where) {
  std::uint64_t valid = 0;
  r.cells.look(where, [&](const box& b, const cell& c) { valid += c.valid ? b.volume() : 0; });
  return valid;
}

bool replica_set::has_valid_element(const replica& r, const box& where) {
  bool some = false;
  r.cells.look(where, [&](const box&, const cell& c) { some = some || c.valid; });
  return some;
}

void replica_set::list_valid(const replica& r, const box& where, std::vector<box>& out) {
  r.cells.look(where, [&](const box& b, const cell& c) {
    if (c.valid) out.push_back(b);
  });
}

region replica_set::valid_in(const replica& r, const box& where) const {
  std::vector<box> boxes;
  list_valid(r, where, boxes);
  return region(std::span<const box>(boxes));
}

region replica_set::nowhere_valid(region where) const {
  if (where.is_empty()) return where;
  const box all = where.bounds();
  for_each_meeting(all, [&](replica_id r) { where -= valid_in(at(r), all); });
  return where;
}

replica_id replica_set::new_id(std::size_t nth) const noexcept {
  return static_cast<replica_id>(nth < free_.size() ? free_[free_.size() - 1 - nth]
                                                    : replicas_.size() + nth - free_.size());
}

// Replaces boxes that overlap, or overlap boxes in the index, by their hulls, until no box overlaps another.
void replica_set::join(const geometry::box_index& index, std::vector<box>& new_boxes) const {
  std::vector<geometry::box_index::entry> met;
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = 0; i < new_boxes.size(); ++i) {
      met.clear();
      index.find(new_boxes[i], met);
      box all = new_boxes[i];
      for (const auto& e : met) all = hull(all, e.box);
      for (std::size_t k = new_boxes.size(); k-- > i + 1;)
        if (new_boxes[k].meets(all)) {
          all = hull(all, new_boxes[k]);
          new_boxes.erase(new_boxes.begin() + static_cast<std::ptrdiff_t>(k));
        }
      grown = grown || all != new_boxes[i];
      new_boxes[i] = all;
    }
    // The grown box may overlap an earlier one.
    for (std::size_t i = 0; i < new_boxes.size() && !grown; ++i)
      for (std::size_t k = i + 1; k < new_boxes.size(); ++k) grown = grown || new_boxes[i].meets(new_boxes[k]);
  }
}

// The storage with most valid elements, among that which contains the whole box.
replica_id replica_set::best_of(std::span<const geometry::box_index::entry> met, const box& where) const {
  if (met.size() == 1) return met[0].box.contains(where) ? met[0].number : no_replica;
  replica_id best = no_replica;
  std::uint64_t most = 0;
  for (const auto& e : met) {
    if (!e.box.contains(where)) continue;
    const std::uint64_t valid = count_valid(at(e.number), where);
    if (best == no_replica || valid > most || (valid == most && e.number < best)) best = e.number, most = valid;
  }
  return best;
}

// Finds storage for each need without an accumulator; plans new storage if none contains the need.
void replica_set::find_storage(memory_number in, std::span<const need> needs, plan& out) const {
  static const geometry::box_index& nothing = *new const geometry::box_index;
  const geometry::box_index& index = in < index_.size() ? index_[in] : nothing;
  auto met = std::move(met_);
  std::vector<box> requested, new_boxes;
  std::vector<bool> accumulated;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const box all = hull(needs[i].where, needs[i].room);
    accumulated.push_back(out.use[i] != no_replica);
    if (!all.is_empty() && !accumulated[i]) requested.push_back(all);
  }
  const auto assign_storage = [&](const box& where, replica_id by) {
    for (std::size_t n = 0; n < needs.size(); ++n)
      if (const box all = hull(needs[n].where, needs[n].room);
          !accumulated[n] && !all.is_empty() && where.contains(all))
        out.use[n] = by;
  };
  if (requested.size() > 1) join(nothing, requested);  // needs of one task that overlap share storage
  for (const box& a : requested) {
    met.clear();
    index.find(a, met);
    if (const replica_id r = best_of(met, a); r != no_replica) assign_storage(a, r);
    else new_boxes.push_back(a);
  }
  if (!new_boxes.empty()) {
    std::vector<box> joined = new_boxes;
    join(index, joined);
    const auto is_too_large = [most = most_joined_ && joined != new_boxes ? most_joined_(in) : UINT64_MAX,
                               this](const box& b) {
      return static_cast<std::uint64_t>(b.volume()) * element_bytes_ > most;
    };
    if (std::ranges::none_of(joined, is_too_large)) new_boxes = std::move(joined);
    for (const box& m : new_boxes) {
      const replica_id id = new_id(out.allocate.size());
      out.allocate.push_back({id, in, m});
      met.clear();
      index.find(m, met);
      for (const auto& e : met)
        if (m.contains(e.box)) out.retire.push_back(e.number);
      assign_storage(m, id);
    }
  }
  met_ = std::move(met);
}

// Plans copies of the elements of `where` that are neither in `there` nor valid in `to`, from the nearest replica.
// `there` holds the elements that the plan copies into `to`.
void replica_set::fetch(const box& where, replica_id to, memory_number in, region& there, plan& out) const {
  region missing = region(where) - there;
  const bool exists = out.allocate.end() == std::find_if(out.allocate.begin(), out.allocate.end(),
                                                         [&](const storage& s) { return s.id == to; });
  if (exists) missing -= valid_in(at(to), where);
  if (missing.is_empty()) return;
  struct source {
    double cost;
    replica_id id;
  };
  std::vector<source> sources;
  const std::uint64_t bytes = missing.volume() * element_bytes_;
  for_each_meeting(where, [&](replica_id r) {
    if (r != to) sources.push_back({at(r).memory == in ? -1.0 : cost_(at(r).memory, in, bytes), r});
  });
  std::sort(sources.begin(), sources.end(),
            [](const source& a, const source& b) { return a.cost != b.cost ? a.cost < b.cost : a.id < b.id; });
  for (const source& s : sources) {
    const region part = missing & valid_in(at(s.id), where);
    if (part.is_empty()) continue;
    for (const box& b : part.boxes()) out.copies.push_back({s.id, to, b});
    there |= part;
    missing -= part;
    if (missing.is_empty()) return;
  }
  out.lost |= missing & written_;
  out.unwritten |= missing - written_;
}

void replica_set::acquire(memory_number in, std::span<const need> needs, plan& out) const {
  out.clear();
  out.made_at = changes_;
  out.use.assign(needs.size(), no_replica);
  for (std::size_t i = 0; i < needs.size(); ++i)
    if (goes_into_accumulator(in, needs, i)) find_accumulator(in, needs[i], out.use[i], out);
  const std::size_t accumulators = out.allocate.size();
  const auto is_accumulator = [&](replica_id r) {
    for (const storage& s : out.allocate)
      if (s.id == r) return s.accumulates.has_value();
    return at(r).accumulates.has_value();
  };
  find_storage(in, needs, out);

  // New storage is filled from the storage it supersedes, except for elements that are overwritten.
  std::vector<std::pair<replica_id, region>> filled_regions;
  for (const storage& s : std::span(out.allocate).subspan(accumulators)) {
    region there;
    region overwritten;
    for (std::size_t i = 0; i < needs.size(); ++i)
      if (out.use[i] == s.id && !needs[i].how.needs_content()) overwritten |= needs[i].where;
    for (const replica_id old : out.retire) {
      const box both = intersection(s.where, at(old).where);
      if (both.is_empty()) continue;
      const region kept = valid_in(at(old), both) - overwritten - there;
      for (const box& b : kept.boxes()) out.copies.push_back({old, s.id, b});
      there |= kept;
    }
    filled_regions.emplace_back(s.id, std::move(there));
  }

  for (std::size_t i = 0; i < needs.size(); ++i) {
    const replica_id to = out.use[i];
    if (to == no_replica || needs[i].where.is_empty() || !needs[i].how.needs_content() || is_accumulator(to)) continue;
    if (!accumulators_.empty()) plan_folds(needs[i], to, out);
    auto there =
        std::find_if(filled_regions.begin(), filled_regions.end(), [&](const auto& c) { return c.first == to; });
    if (there == filled_regions.end()) {
      if (holds(at(to), needs[i].where)) continue;
      there = filled_regions.insert(filled_regions.end(), {to, {}});
    }
    fetch(needs[i].where, to, in, there->second, out);
  }
}

void replica_set::add(const storage& s, token ready) {
  ++changes_;
  if (free_.empty()) {
    replicas_.emplace_back();
  } else {
    free_.pop_back();
  }
  if (s.accumulates) {
    accumulators_.push_back(s.id);
  } else {
    if (index_.size() <= s.memory) index_.resize(s.memory + 1);
    auto& index = index_[s.memory];
    std::vector<geometry::box_index::entry> met;
    index.find(s.where, met);
    for (const auto& e : met) {
      if (!s.where.contains(e.box)) {
        overlaps_ = true;
        continue;
      }
      index.erase(e.box);
      replicas_[e.number].superseded = true;
      superseded_.push_back(e.number);
    }
    index.insert(s.where, s.id);
  }
  replica& r = replicas_[s.id];
  r.accumulates = s.accumulates;
  r.memory = s.memory;
  r.where = s.where;
  r.cells.visit(s.where, [&](const box&, cell& c) { c.written = ready; });
}

void replica_set::wait_to_read(const replica& r, const box& where, std::vector<token>& content) const {
  r.cells.look(where, [&](const box&, const cell& c) {
    append(content, c.written);
    for (const contribution& by : c.contributors) append(content, by.by);
  });
}
void replica_set::wait_to_write(const replica& r, const box& where, std::vector<token>& content,
                                std::vector<token>& readers) const {
  r.cells.look(where, [&](const box&, const cell& c) {
    append(content, c.written);
    for (const token t : c.readers) append(readers, t);
    for (const contribution& by : c.contributors) append(content, by.by);
  });
}

void replica_set::wait_to_contribute(const replica& r, const box& where, const usage& how, std::vector<token>& content,
                                     std::vector<token>& readers) const {
  r.cells.look(where, [&](const box&, const cell& c) {
    append(content, c.written);
    for (const token t : c.readers) append(readers, t);
    for (const contribution& by : c.contributors)
      if (!by.shares_with(how)) append(content, by.by);
  });
}

void replica_set::waits_of(const copy& c, wait_list& out) const {
  wait_to_read(at(c.from), c.where, out.content);
  wait_to_write(at(c.to), c.where, out.order, out.order);
}

// Appends to a list. If the list is full, first removes tokens that have passed, and doubles its capacity if more than
// half remain.
template <class T, class Passed>
void replica_set::append_and_prune(std::vector<T>& list, const T& one, const Passed& has_passed) {
  if (list.size() >= 8 && list.size() == list.capacity()) {
    std::erase_if(list, has_passed);
    if (list.size() > list.capacity() / 2) list.reserve(2 * list.capacity());
  }
  list.push_back(one);
}

void replica_set::add_reader(cell& c, token t) const {
  if (c.readers.empty() || c.readers.back() != t) append_and_prune(c.readers, t, has_passed_);
}

// Removes passed tokens from all cells and joins equal tiles: otherwise boxes that are never used again would leave
// more and more tiles.
void replica_set::prune_now(replica& r) {
  r.cells.each([&](const box&, cell& c) {
    if (c.written && has_passed_(c.written)) c.written = 0;
    std::erase_if(c.readers, has_passed_);
    std::erase_if(c.contributors, [&](const contribution& by) { return has_passed_(by.by); });
  });
  for (const bool valid : {false, true}) r.cells.join_all(cell{valid, 0, {}, {}});
  r.prune_at = std::max<std::size_t>(1024, 2 * r.cells.size());
}

// Keeps readers and other contributors in their lists: the next contributor by the same operator does not wait for this
// one, but for the others.
bool replica_set::contribute(replica_id r, const box& where, const usage& how, token done) {
  bool is_new = false;
  replicas_[r].cells.visit(where, [&](const box&, cell& c) {
    is_new = is_new || !c.valid;
    c.valid = true;
    append_and_prune(c.contributors, contribution{done, how.reduction, how.side},
                     [&](const contribution& by) { return has_passed_(by.by); });
  });
  prune(replicas_[r]);
  return is_new;
}

void replica_set::copied(const copy& c, token done) {
  ++changes_;
  replicas_[c.from].cells.visit(c.where, [&](const box&, cell& from) { add_reader(from, done); });
  prune(replicas_[c.from]);
  write(c.to, c.where, done);
}

void replica_set::list_waits(replica_id r, const box& where, usage how, std::vector<token>& content,
                             std::vector<token>& order) const {
  if (r == no_replica) return;
  if (how.is == usage::mode::reduce) wait_to_contribute(at(r), where, how, content, order);
  else if (how.changes_content()) wait_to_write(at(r), where, how.needs_content() ? content : order, order);
  else wait_to_read(at(r), where, content);
}

void replica_set::waits_of(replica_id r, const box& where, usage how, wait_list& out) const {
  list_waits(r, where, how, out.content, out.order);
}

void replica_set::waits_of(replica_id r, const box& where, usage how, std::vector<token>& out) const {
  list_waits(r, where, how, out, out);
}

bool replica_set::make_invalid(replica& r, const box& where) {
  if (!has_valid_element(r, where)) return false;
  r.cells.visit(intersection(where, r.where), [](const box&, cell& c) { c.valid = false; });
  return true;
}

bool replica_set::invalidate(const box& where, replica_id but) {
  bool any = false;
  for_each_meeting(where, [&](replica_id r) {
    if (r == but || !make_invalid(replicas_[r], where)) return;
    any = true;
    prune(replicas_[r]);
  });
  return any;
}

bool replica_set::write(replica_id r, const box& where, token done) {
  bool is_new = false;
  replicas_[r].cells.visit(where, [&](const box&, cell& c) {
    is_new = is_new || !c.valid;
    c.valid = true;
    c.written = done;
    c.readers.clear();
    c.contributors.clear();
  });
  prune(replicas_[r]);
  return is_new;
}

void replica_set::used(replica_id r, const box& where, usage how, token done) {
  if (r == no_replica || where.is_empty()) return;
  if (!how.changes_content()) {
    // Plans depend on validity only, which a reader does not change.
    replicas_[r].cells.visit(where, [&](const box&, cell& c) { add_reader(c, done); });
    prune(replicas_[r]);
    return;
  }
  bool any = false;
  if (!at(r).accumulates) {
    if (replicas_.size() - free_.size() > 1) any = invalidate(where, r);
    if (how.is != usage::mode::reduce && !accumulators_.empty()) any = forget_accumulated(where) || any;
  }
  any = (how.is == usage::mode::reduce ? contribute(r, where, how, done) : write(r, where, done)) || any;
  if (any) ++changes_;
  if (!(written_.boxes().size() == 1 && written_.boxes()[0].contains(where))) written_ |= where;
}

region replica_set::only_in(replica_id r) const {
  region unique_elements = valid_in(at(r), at(r).where);
  if (unique_elements.is_empty() || at(r).accumulates) return unique_elements;
  for_each_meeting(at(r).where, [&](replica_id other) {
    if (other != r && !unique_elements.is_empty()) unique_elements -= valid_in(at(other), at(r).where);
  });
  return unique_elements;
}

void replica_set::write_back(replica_id r, memory_number to, plan& out, const box& room) const {
  const region unique_elements = only_in(r);
  std::vector<need> needs;
  for (const box& b : unique_elements.boxes()) needs.push_back({b, in_use, hull(unique_elements.bounds(), room)});
  acquire(to, needs, out);
}

void replica_set::forget(replica_id id) {
  replica& r = replicas_[id];
  if (r.accumulates) std::erase(accumulators_, id);
  else if (r.superseded) std::erase(superseded_, id);
  else index_[r.memory].erase(r.where);
  r = {};
  free_.push_back(id);
}

bool replica_set::drop(replica_id r, std::vector<token>& waits) {
  if (!only_in(r).is_empty()) return false;
  ++changes_;
  wait_to_write(at(r), at(r).where, waits, waits);
  forget(r);
  return true;
}

std::uint64_t replica_set::valid_elements(memory_number in, const box& where) const {
  if (in >= index_.size()) return 0;
  auto met = std::move(met_);
  met.clear();
  index_[in].find(where, met);
  std::uint64_t n = 0;
  if (overlaps_ && met.size() > 1) {
    std::vector<box> valid;
    for (const auto& e : met) list_valid(at(e.number), where, valid);
    n = region(std::span<const box>(valid)).volume();
  } else {
    for (const auto& e : met) n += count_valid(at(e.number), where);
  }
  met_ = std::move(met);
  return n;
}

std::vector<replica_set::storage> replica_set::replicas(memory_number in) const {
  std::vector<storage> all;
  for (replica_id r = 0; r < replicas_.size(); ++r)
    if (!at(r).where.is_empty() && at(r).memory == in) all.push_back(about(r));
  return all;
}

}  // namespace stretto::data
