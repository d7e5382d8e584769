#include "graph/command_graph.hpp"

#include <stretto/error.hpp>

#include <algorithm>

namespace stretto::graph {
namespace {

std::string chunk_text(node_number n, const chunk_grid& grid) {
  return "chunk " + std::to_string(n) + " " + grid.chunk(n).text() + " on N" + std::to_string(n);
}

/// Appends the parts to the command of this kind for the buffer at or behind `first`, or adds one.
template <class Kind, class Part>
void join_parts(task_id id, buffer_id b, const std::vector<Part>& parts, std::size_t first, std::vector<command>& out) {
  if (parts.empty()) return;
  for (std::size_t i = first; i < out.size(); ++i) {
    Kind& what = std::get<Kind>(out[i].what);
    if (what.buffer == b) {
      what.parts.insert(what.parts.end(), parts.begin(), parts.end());
      return;
    }
  }
  out.push_back({{}, id, {}, Kind{b, parts}});
}

/// The steps of a task on the replication state of a buffer, for each access and then for each reduction.
enum class phase : std::uint64_t { sends, takes, writes };
memoized_state<replication, passed>::step_name step_of(const task& t, std::size_t use, phase p) noexcept {
  return {t.shape, std::uint64_t{use} * 4 + static_cast<std::uint64_t>(p)};
}

}  // namespace

buffer_id command_graph::add(const buffer& b) {
  const buffer_id id = buffers_.add({b,
                                     access_fronts(b.elements, commands_),
                                     memoized_state<replication, passed>(replication(b.elements, self_, nodes_)),
                                     {}});
  if (b.initial == initial_data::none) at(id).unwritten.update(b.elements, {});
  return id;
}

const chunk_grid& command_graph::grid_of(const task& t) {
  const node_number most = t.kind == task_kind::kernel || t.kind == task_kind::collective ? nodes_ : 1;
  if (grid_.made && grid_.range == t.range && grid_.most == most && grid_.how == t.how && grid_.grain == t.grain)
    return *grid_.made;
  grid_ = {t.range, most, t.how, t.grain,
           chunk_grid(t.range, most, t.how, t.grain, most == nodes_ ? weights_ : chunk_weights())};
  return *grid_.made;
}

void command_graph::set_weights(const chunk_weights& weights) {
  if (weights == weights_) return;
  weights_ = weights;
  grid_.made.reset();
  forget_plans();
}

void command_graph::forget_shapes() {
  shapes_ = {};
  forget_plans();
}

void command_graph::forget_plans() {
  plans_.clear();
  buffers_.each([](buffer_id, buffer_state& b) { b.copies.forget(); });
}

command_graph::plan& command_graph::plan_of(const task& t) {
  return plans_.find(t.shape, [&](plan& p) {
    p.is_checked = false;
    p.grid = grid_of(t);
    p.own = is_on_every_node(t.kind) ? t.range : self_ < p.grid.chunks() ? p.grid.chunk(self_) : box();
    if (p.by_access.size() < t.accesses.size()) p.by_access.resize(t.accesses.size());
    for (std::size_t i = 0; i < t.accesses.size(); ++i) {
      const mapping& where = t.accesses[i].where;
      plan::uses& u = p.by_access[i];
      u.own.clear();
      u.knows_all = false;
      if (p.own.is_empty()) continue;
      if (where.is_custom()) u.own = shapes_.find(where, p.grid).of_nodes[is_on_every_node(t.kind) ? 0 : self_];
      else where.used_by(p.own, t.range, u.own);
    }
  });
}

void command_graph::check(const task& t, plan& p) {
  if (p.is_checked) return;
  const chunk_grid& grid = p.grid;
  for (const access& a : t.accesses) {
    const buffer& b = at(a.buffer).is;
    const auto refuse = [&](const char* code, const std::string& what) {
      return error(code, what + " of " + named(a.buffer));
    };
    if (a.where.is_custom()) {
      const auto& s = shapes_.find(a.where, grid);
      if (s.outside.is_there) {
        error e = refuse("B05", "a chunk of \"" + t.name + "\" uses elements outside");
        throw e.fact("elements", b.elements.text())
            .fact("used", s.outside.where.text())
            .fact("used by", chunk_text(s.outside.chunk, grid))
            .remedy("clip the mapper's result to the buffer's elements, the mapper's second argument");
      }
      if (writes(a.how) && s.overlap.is_there) {
        error e = refuse("B04", "two chunks of \"" + t.name + "\" write the same elements");
        throw e.fact("overlap", s.overlap.where.text())
            .fact("writers", chunk_text(s.overlap.chunk, grid) + ", " + chunk_text(s.overlap.other, grid))
            .remedy(
                "let the mapper return disjoint elements for each chunk, or cut the range at multiples only: "
                "constrain_split(n)");
      }
    } else if (writes(a.how) && ((is_on_every_node(t.kind) && nodes_ > 1) || !a.where.is_disjoint(grid))) {
      error e = refuse("B04", "two chunks of \"" + t.name + "\" write the same elements");
      throw e
          .fact("writers", is_on_every_node(t.kind) ? "every node" : chunk_text(0, grid) + ", " + chunk_text(1, grid))
          .remedy("write with one_to_one, and read neighbouring elements from a second buffer");
    }
  }
  for (std::size_t i = 0; i < t.reductions.size(); ++i) check_alone(t, i);
  p.is_checked = true;
}

void command_graph::check_alone(const task& t, std::size_t reduction) {
  const buffer_id id = t.reductions[reduction].buffer;
  std::string other;
  for (std::size_t i = 0; i < t.accesses.size() && other.empty(); ++i)
    if (t.accesses[i].buffer == id)
      other = std::string(writes(t.accesses[i].how) ? "written" : "read") + " by access " + std::to_string(i);
  for (std::size_t i = 0; i < reduction && other.empty(); ++i)
    if (t.reductions[i].buffer == id) other = "the result of reduction " + std::to_string(i);
  if (other.empty()) return;
  throw error("B06", "\"" + t.name + "\" reduces into " + named(id) + ", which it also uses otherwise")
      .fact("reduction", std::to_string(reduction))
      .fact("other use", other)
      .because("the buffer holds the result only after every chunk of the task has ended")
      .remedy("use the result in a separate task, and one buffer for each reduction");
}

std::string command_graph::named(buffer_id b) {
  return "buffer B" + std::to_string(b.number) + " \"" + at(b).is.name + "\"";
}

void command_graph::add(task_id id, const task& t, std::vector<command>& out) {
  if (t.kind == task_kind::horizon || t.kind == task_kind::epoch) {
    command c{{commands_.next()}, id, {}, {}};
    if (t.kind == task_kind::horizon) commands_.append_horizon(c.follows), c.what = horizon{};
    else commands_.append_epoch(c.follows), c.what = epoch{};
    out.push_back(std::move(c));
    return;
  }
  plan& p = plan_of(t);
  check(t, p);
  find_unwritten_reads(t, p);
  if (nodes_ > 1) {
    send(id, t, p, out);
    await(id, t, p, out);
  }
  if (!p.own.is_empty()) compute(id, t, p, out);
  const node_number contributors = p.grid.chunks() != 0 && is_on_every_node(t.kind) ? nodes_ : p.grid.chunks();
  for (const reduction& r : t.reductions) fold(id, r, contributors, !p.own.is_empty(), out);
  mark_written(t, p);
}

const used_boxes& command_graph::used_by_all(const task& t, std::size_t access, plan& p) {
  plan::uses& u = p.by_access[access];
  if (u.knows_all) return u.all;
  const mapping& where = t.accesses[access].where;
  u.all.clear();
  if (where.is_custom()) u.all = shapes_.find(where, p.grid).of_all;
  else where.used_by_all(p.grid, u.all);
  u.knows_all = true;
  return u.all;
}

region command_graph::written(buffer_id b, const box& where) {
  std::vector<box> not_yet;
  for (const auto& [part, is] : at(b).unwritten.query(where)) not_yet.push_back(part);
  return region(where) - region(std::span<const box>(not_yet));
}

void command_graph::find_unwritten_reads(const task& t, plan& p) {
  const auto look = [&](std::size_t access, const buffer_state& b, const used_boxes& all) {
    std::vector<box> found;
    for (const box& where : all)
      for (const auto& [part, is] : b.unwritten.query(where)) found.push_back(part);
    if (!found.empty()) unwritten_reads_.push_back({access, region(std::span<const box>(found))});
  };
  for (std::size_t i = 0; i < t.accesses.size(); ++i) {
    const access& a = t.accesses[i];
    if (reads(a.how) && at(a.buffer).unwritten.size() != 0) look(i, at(a.buffer), used_by_all(t, i, p));
  }
  for (std::size_t i = 0; i < t.reductions.size(); ++i) {
    const buffer_state& b = at(t.reductions[i].buffer);
    if (t.reductions[i].includes_current && b.unwritten.size() != 0) look(t.accesses.size() + i, b, {b.is.elements});
  }
}

void command_graph::send(task_id id, const task& t, plan& p, std::vector<command>& out) {
  const std::size_t first = out.size();
  const chunk_grid& grid = p.grid;
  for (std::size_t i = 0; i < t.accesses.size(); ++i) {
    const access& a = t.accesses[i];
    buffer_state& b = at(a.buffer);
    if (!reads(a.how)) continue;
    const auto& did = b.copies.apply(step_of(t, i, phase::sends), [&](replication& copies, passed& does) {
      if (!copies.may_send()) return;
      if (is_on_every_node(t.kind)) {
        for (const box& where : used_by_all(t, i, p)) copies.send(where, node_set(0, nodes_), does.sent);
      } else if (a.where.is_custom()) {
        const auto& s = shapes_.find(a.where, grid);
        for (node_number n = 0; n < grid.chunks(); ++n)
          for (const box& where : s.of_nodes[n]) copies.send(where, node_set(n, n + 1), does.sent);
      } else {
        pieces_.clear();
        for (const box& where : used_by_all(t, i, p)) copies.unshared(where, pieces_);
        for (const box& piece : pieces_)
          a.where.each_user(piece, grid, [&](const box& part, const node_set& users) {
            if (users.size() > 1 || !users.contains(self_)) copies.send(part, users, does.sent);
          });
      }
    });
    join_parts<push>(id, a.buffer, did.sent, first, out);
  }
  for (std::size_t i = 0; i < t.reductions.size(); ++i) {
    const reduction& r = t.reductions[i];
    if (!r.includes_current || self_ == 0) continue;
    const box& all = at(r.buffer).is.elements;
    const auto& did = at(r.buffer).copies.apply(
        step_of(t, t.accesses.size() + i, phase::sends),
        [&](replication& copies, passed& does) { copies.send(all, node_set(0, 1), does.sent); });
    join_parts<push>(id, r.buffer, did.sent, first, out);
  }
  for (std::size_t i = first; i < out.size(); ++i) {
    command& c = out[i];
    const push& what = std::get<push>(c.what);
    access_fronts& fronts = at(what.buffer).fronts;
    for (const sent_part& part : what.parts) fronts.before_reading(part.where, c.follows);
    c.id.number = commands_.next();
    commands_.append(c.follows);
    for (const sent_part& part : what.parts) fronts.read(part.where, c.id.number, c.follows);
  }
}

void command_graph::await(task_id id, const task& t, const plan& p, std::vector<command>& out) {
  const std::size_t first = out.size();
  for (std::size_t i = 0; i < t.accesses.size(); ++i) {
    const access& a = t.accesses[i];
    if (!reads(a.how)) continue;
    const auto& did = at(a.buffer).copies.apply(step_of(t, i, phase::takes), [&](replication& copies, passed& does) {
      for (const box& where : p.by_access[i].own) copies.take(where, does.lacking);
    });
    join_parts<await_push>(id, a.buffer, did.lacking, first, out);
  }
  for (std::size_t i = 0; i < t.reductions.size(); ++i) {
    const reduction& r = t.reductions[i];
    if (!r.includes_current || self_ != 0) continue;
    const box& all = at(r.buffer).is.elements;
    const auto& did =
        at(r.buffer).copies.apply(step_of(t, t.accesses.size() + i, phase::takes),
                                  [&](replication& copies, passed& does) { copies.take(all, does.lacking); });
    join_parts<await_push>(id, r.buffer, did.lacking, first, out);
  }
  for (std::size_t i = first; i < out.size(); ++i) {
    command& c = out[i];
    const await_push& what = std::get<await_push>(c.what);
    access_fronts& fronts = at(what.buffer).fronts;
    for (const box& part : what.parts) fronts.before_writing(part, c.follows);
    c.id.number = commands_.next();
    commands_.append(c.follows);
    for (const box& part : what.parts) fronts.write(part, c.id.number);
  }
}

void command_graph::compute(task_id id, const task& t, const plan& p, std::vector<command>& out) {
  execute_ = commands_.next();
  command c{{execute_}, id, {}, execute{p.own}};
  const auto each = [&](auto f) {
    for (std::size_t i = 0; i < t.accesses.size(); ++i)
      for (const box& b : p.by_access[i].own) f(at(t.accesses[i].buffer).fronts, t.accesses[i].how, b);
  };
  each([&](access_fronts& f, mode how, const box& b) {
    writes(how) ? f.before_writing(b, c.follows) : f.before_reading(b, c.follows);
  });
  effects_.before(t, commands_, c.follows);
  commands_.append(c.follows);
  effects_.add(t, commands_, execute_);
  each([&](access_fronts& f, mode how, const box& b) {
    if (!writes(how)) f.read(b, c.id.number, c.follows);
  });
  each([&](access_fronts& f, mode how, const box& b) {
    if (writes(how)) f.write(b, c.id.number);
  });
  out.push_back(std::move(c));
}

void command_graph::fold(task_id id, const reduction& r, node_number contributors, bool has_chunk,
                         std::vector<command>& out) {
  buffer_state& b = at(r.buffer);
  reduce what{r.buffer, r.includes_current, contributors, self_};
  if (contributors != 0 || r.includes_current)
    what.exchange = exchange_of(self_, std::max(contributors, node_number{1}), nodes_);
  command c{{commands_.next()}, id, {}, std::move(what)};
  if (has_chunk) c.follows.push_back(execute_);
  b.fronts.before_writing(b.is.elements, c.follows);
  commands_.append(c.follows);
  b.fronts.write(b.is.elements, c.id.number);
  out.push_back(std::move(c));
}

void command_graph::mark_written(const task& t, plan& p) {
  for (std::size_t i = 0; i < t.accesses.size(); ++i) {
    const access& a = t.accesses[i];
    if (!writes(a.how)) continue;
    buffer_state& b = at(a.buffer);
    if (nodes_ == 1 && b.unwritten.size() == 0) continue;
    if (nodes_ > 1)
      b.copies.apply(step_of(t, i, phase::writes),
                     [&](replication& copies, passed&) { copies.written(used_by_all(t, i, p), p.by_access[i].own); });
    if (b.unwritten.size() != 0)
      for (const box& where : used_by_all(t, i, p)) b.unwritten.erase(where);
  }
  for (std::size_t i = 0; i < t.reductions.size(); ++i) {
    buffer_state& b = at(t.reductions[i].buffer);
    b.copies.apply(step_of(t, t.accesses.size() + i, phase::writes),
                   [&](replication& copies, passed&) { copies.written_everywhere(b.is.elements); });
    b.unwritten.erase(b.is.elements);
  }
}

}  // namespace stretto::graph
