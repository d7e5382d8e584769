// Runs the instructions of all nodes of a random program, and tracks the version of every element of every allocation.
#include "graph/instruction_graph.hpp"

#include <doctest/doctest.h>
#include <stretto/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "graph/command_graph.hpp"
#include "graph/recorded_program.hpp"
#include "graph/task_graph.hpp"

using namespace stretto;
using namespace stretto::graph;

namespace {

using spot = std::array<coordinate, max_axes>;

template <class F>
void each_spot(const box& b, F f) {
  for (coordinate i = b.min()[0]; i < b.max()[0]; ++i)
    for (coordinate j = b.min()[1]; j < b.max()[1]; ++j)
      for (coordinate k = b.min()[2]; k < b.max()[2]; ++k) f(spot{i, j, k});
}

constexpr std::uint32_t element_bytes = 3;

using buffer_spot = std::pair<std::uint32_t, spot>;
using messages =
    std::map<std::tuple<node_number, graph::transfer_id, buffer_spot>, std::uint64_t>;  // versions, by receiver

/// One node: its allocations with the versions of their elements, and the instructions that have used each element.
class node_model {
 public:
  explicit node_model(const node_shape& shape) : graph(shape), shape_(shape) { before_.emplace_back(1, false); }

  instruction_graph graph;
  std::map<std::uint64_t, instruction> receives;

  void begin(const instruction& i) {
    std::vector<bool>& mine = before_.emplace_back(i.id.number + 1, false);
    REQUIRE(before_.size() == i.id.number + 1);
    for (const std::uint64_t f : i.follows) {
      REQUIRE(f < i.id.number);
      mine[f] = true;
      for (std::size_t n = 0; n < before_[f].size(); ++n)
        if (before_[f][n]) mine[n] = true;
    }
    most_followed = std::max(most_followed, i.follows.size());
  }
  void make(const instruction& i, const allocate& a) {
    const auto [made, is_new] = allocations_.emplace(a.is.number, storage{a, {}, {}, i.id.number});
    REQUIRE(is_new);
    const bool is_bounded = a.where < shape_.bounds.size() && a.where != 0 && shape_.bounds[a.where].bytes != 0;
    REQUIRE(a.offset.has_value() == is_bounded);
    if (!is_bounded) return;
    const memory_bounds& b = shape_.bounds[a.where];
    const addresses mine{a.where, *a.offset,
                         *a.offset + (a.elements.volume() * element_bytes + b.grain - 1) / b.grain * b.grain,
                         i.id.number};
    CHECK(mine.first % b.grain == 0);
    CHECK(mine.last <= b.bytes);
    for (const auto& [n, other] : addresses_)
      if (n != a.is.number) CHECK_FALSE(mine.meet(other));
    for (const addresses& gone : given_back_)
      if (mine.meet(gone)) {
        CHECK(before_[i.id.number][gone.by]);
        CHECK(a.is_behind);
        ++taken_over;
      }
    addresses_.emplace(a.is.number, mine);
  }
  std::size_t taken_over = 0;  // reused addresses
  /// Allocations of a memory do not overlap, including those released before the task ends.
  void drop(const instruction& i, const release& r) {
    storage& s = allocations_.at(r.is.number);
    for (const auto& [e, uses] : s.uses)
      for (const auto& [n, wrote] : uses) CHECK(before_[i.id.number][n]);
    s.is_gone = true;
    const auto mine = addresses_.find(r.is.number);
    if (mine == addresses_.end()) return;
    given_back_.push_back(mine->second);
    given_back_.back().by = i.id.number;
    addresses_.erase(mine);
  }
  std::uint64_t read(const instruction& i, allocation_id a, const spot& at) {
    use(i, a, at, false);
    return allocations_.at(a.number).versions[at];
  }
  void write(const instruction& i, allocation_id a, const spot& at, std::uint64_t version) {
    use(i, a, at, true);
    allocations_.at(a.number).versions[at] = version;
  }
  /// Side effects and groups, modelled as elements that no node sends.
  void use(const instruction& i, const effect_use& e) { follow(i, effects_[e.effect], e.is_affected); }
  const box& elements(allocation_id a) { return allocations_.at(a.number).is.elements; }
  buffer_id buffer_of(allocation_id a) { return allocations_.at(a.number).is.of; }
  memory_number memory_of(allocation_id a) { return allocations_.at(a.number).is.where; }
  void check_disjoint() {
    for (const auto& [n, s] : allocations_)
      for (const auto& [m, other] : allocations_)
        if (n < m && !s.is_gone && !other.is_gone && s.is.where == other.is.where && s.is.of == other.is.of)
          CHECK_FALSE(s.is.elements.meets(other.is.elements));
    std::erase_if(allocations_, [](const auto& a) { return a.second.is_gone; });
  }
  /// True if no allocation has addresses in that memory.
  bool is_clear(memory_number m) const {
    return std::ranges::none_of(addresses_, [&](const auto& a) { return a.second.where == m; });
  }
  std::size_t most_followed = 0;

 private:
  struct storage {
    allocate is;
    std::map<spot, std::uint64_t> versions;
    std::map<spot, std::vector<std::pair<std::uint64_t, bool>>> uses;
    std::uint64_t made_by;
    bool is_gone = false;
  };
  void use(const instruction& i, allocation_id a, const spot& at, bool writes) {
    storage& s = allocations_.at(a.number);
    REQUIRE_FALSE(s.is_gone);
    REQUIRE(s.is.elements.contains(point(at[0], at[1], at[2])));
    CHECK(before_[i.id.number][s.made_by]);
    follow(i, s.uses[at], writes);
  }
  using all_uses = std::vector<std::pair<std::uint64_t, bool>>;  // instruction, and whether it writes
  void follow(const instruction& i, all_uses& uses, bool writes) {
    for (const auto& [other, wrote] : uses)
      if ((writes || wrote) && other != i.id.number) CHECK(before_[i.id.number][other]);
    uses.push_back({i.id.number, writes});
  }

  struct addresses {
    memory_number where;
    std::uint64_t first, last, by;
    bool meet(const addresses& other) const { return where == other.where && first < other.last && other.first < last; }
  };

  const node_shape shape_;
  std::map<std::uint64_t, addresses> addresses_;  // by allocation number
  std::vector<addresses> given_back_;
  std::vector<std::vector<bool>> before_;
  std::map<std::uint64_t, storage> allocations_;
  std::map<std::uint32_t, all_uses> effects_;
};

class job_model {
 public:
  job_model(node_number nodes, const node_shape& shape, const horizon_policy& p) : tasks_(p) {
    for (node_number n = 0; n < nodes; ++n) {
      commands_.push_back(std::make_unique<command_graph>(n, nodes));
      nodes_.push_back(std::make_unique<node_model>(shape));
    }
  }

  void add(const buffer& b) {
    const buffer_id id = tasks_.add(b);
    buffers_.push_back(b);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      commands_[n]->add(b);
      std::vector<instruction> first;
      CHECK(nodes_[n]->graph.add(b, first) == id);
      messages none;
      for (const instruction& i : first) {
        nodes_[n]->begin(i);
        if (const auto* a = std::get_if<allocate>(&i.what)) nodes_[n]->make(i, *a);
      }
    }
  }

  /// Sets weights of the nodes and of the devices of each node, with or without its host; or none.
  void set_weights(const std::vector<double>& of_nodes, auto of_devices) {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      commands_[n]->set_weights(chunk_weights(of_nodes));
      nodes_[n]->graph.forget_plans();
      nodes_[n]->graph.set_weights(chunk_weights(of_devices()));
    }
  }
  std::size_t nodes() const { return nodes_.size(); }
  /// False if the task is too large for a memory; the error names the memory.
  bool fits(const task& t) {
    try {
      for (std::size_t n = 0; n < nodes_.size(); ++n) nodes_[n]->graph.check(t, commands_[n]->own_chunk(t));
      return true;
    } catch (const error& e) {
      if (std::string(e.code()) != "B24") throw;
      return false;
    }
  }
  std::size_t taken_over() const {
    std::size_t all = 0;
    for (const auto& n : nodes_) all += n->taken_over;
    return all;
  }

  void submit(const task& t) {
    run(tasks_.add(t).id, t);
    if (const auto h = tasks_.add_horizon()) {
      task horizon;
      horizon.kind = task_kind::horizon;
      run(h->id, horizon);
    }
  }

  void remove(std::uint32_t b) {
    tasks_.remove({b});
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      commands_[n]->remove({b});
      std::vector<instruction> last;
      nodes_[n]->graph.remove({b}, last);
      for (const instruction& i : last) nodes_[n]->begin(i), nodes_[n]->drop(i, std::get<release>(i.what));
    }
  }

  /// Evicts everything from this memory, on each node.
  void clear(memory_number m) {
    std::map<buffer_spot, std::uint64_t> written;
    messages none;
    for (node_number n = 0; n < nodes_.size(); ++n) {
      std::vector<instruction> all;
      nodes_[n]->graph.clear(m, all);
      for (const instruction& i : all) nodes_[n]->begin(i), do_one(n, i, task(), none, written);
      CHECK(nodes_[n]->is_clear(m));
    }
  }

  std::size_t copied = 0, sent = 0, arrived_in_parts = 0, folded = 0;
  node_model& node(std::size_t n) { return *nodes_[n]; }

 private:
  void run(task_id id, const task& t) {
    std::vector<std::vector<instruction>> all(nodes_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      std::vector<command> commands;
      commands_[n]->add(id, t, commands);
      for (const command& c : commands)
        if (const auto* e = std::get_if<execute>(&c.what)) nodes_[n]->graph.check(t, e->chunk);
      nodes_[n]->graph.add(id, t, commands, all[n]);
    }
    std::map<buffer_spot, std::uint64_t> written;
    messages under_way;
    contributed_.assign(nodes_.size(), {});
    std::vector<std::size_t> next(nodes_.size());
    for (bool moved = true; std::exchange(moved, false);)
      for (node_number n = 0; n < nodes_.size(); ++n)
        for (; next[n] < all[n].size() && has_come(n, all[n][next[n]], under_way); ++next[n], moved = true) {
          nodes_[n]->begin(all[n][next[n]]);
          do_one(n, all[n][next[n]], t, under_way, written);
        }
    for (std::size_t n = 0; n < nodes_.size(); ++n) CHECK(next[n] == all[n].size());
    CHECK(under_way.empty());
    for (const reduction& r : t.reductions) end(r, written);
    for (const auto& [e, v] : written) last_[e] = v;
    for (auto& n : nodes_) n->check_disjoint();
  }

  /// The part that this instruction needs.
  bool has_come(node_number self, const instruction& i, const messages& under_way) {
    const auto is_there = [&](const receive& r, std::uint32_t part) {
      bool is = true;
      each_spot(r.parts[part], [&](const spot& at) {
        is = is && under_way.contains(std::tuple(self, r.by, buffer_spot(r.of.number, at)));
      });
      return is;
    };
    if (const auto* r = std::get_if<receive>(&i.what)) return r->parts.size() > 1 || is_there(*r, 0);
    if (const auto* a = std::get_if<arrive>(&i.what))
      return is_there(std::get<receive>(nodes_[self]->receives.at(a->of.number).what), a->part);
    return true;
  }
  void do_one(node_number self, const instruction& i, const task& t, messages& under_way,
              std::map<buffer_spot, std::uint64_t>& written) {
    node_model& n = *nodes_[self];
    if (const auto* a = std::get_if<allocate>(&i.what)) n.make(i, *a);
    if (const auto* r = std::get_if<release>(&i.what)) n.drop(i, *r);
    if (const auto* c = std::get_if<graph::copy>(&i.what))
      for (const box& b : c->parts)
        each_spot(b, [&](const spot& at) {
          const std::uint64_t v = n.read(i, c->from, at);
          n.write(i, c->to, at, v);
          ++copied;
        });
    if (const auto* s = std::get_if<send>(&i.what))
      for (const sent_part& p : s->parts)
        each_spot(p.where, [&](const spot& at) {
          const std::uint64_t v = n.read(i, s->from, at);
          if (v < partial_value) CHECK(v == last_[{s->of.number, at}]);
          for (node_number to = 0; to < nodes_.size(); ++to)
            if (p.to.contains(to))
              CHECK(under_way.emplace(std::tuple(to, s->by, buffer_spot(s->of.number, at)), v).second);
          ++sent;
        });
    if (const auto* r = std::get_if<receive>(&i.what)) {
      n.receives.emplace(i.id.number, i);
      if (r->parts.size() == 1) come(self, i, *r, 0, under_way);
    }
    if (const auto* a = std::get_if<arrive>(&i.what)) {
      come(self, i, std::get<receive>(n.receives.at(a->of.number).what), a->part, under_way);
      ++arrived_in_parts;
    }
    if (const auto* f = std::get_if<fill_identity>(&i.what))
      each_spot(n.elements(f->is), [&](const spot& at) { n.write(i, f->is, at, value_of("")); });
    if (const auto* f = std::get_if<graph::fold>(&i.what)) {
      CHECK(t.reductions.at(f->reduction).buffer == f->of);
      each_spot(n.elements(f->to), [&](const spot& at) {
        const std::string first = text_of(n.read(i, f->to, at)), second = text_of(n.read(i, f->from, at));
        n.write(i, f->to, at, value_of(first + second));
      });
      ++folded;
    }
    if (const auto* c = std::get_if<compute>(&i.what)) do_compute(self, i, *c, t, written);
  }
  void come(node_number self, const instruction& i, const receive& r, std::uint32_t part, messages& under_way) {
    each_spot(r.parts[part], [&](const spot& at) {
      const auto found = under_way.find(std::tuple(self, r.by, buffer_spot(r.of.number, at)));
      REQUIRE(found != under_way.end());
      nodes_[self]->write(i, r.to, at, found->second);
      under_way.erase(found);
    });
  }

  // A folded value is a text: the contribution of each part, in the order of the folds.
  static constexpr std::uint64_t partial_value = std::uint64_t{1} << 40;
  std::uint64_t value_of(const std::string& text) {
    const auto found = std::ranges::find(texts_, text);
    if (found == texts_.end()) texts_.push_back(text);
    return partial_value + static_cast<std::uint64_t>(std::ranges::find(texts_, text) - texts_.begin());
  }
  std::string text_of(std::uint64_t version) const {
    return version < partial_value ? " task " + std::to_string(version) : texts_[version - partial_value];
  }
  void end(const reduction& r, std::map<buffer_spot, std::uint64_t>& written) {
    std::string all;
    for (const std::string& of_node : contributed_) all += of_node;
    const buffer& b = buffers_[r.buffer.number];
    each_spot(b.elements, [&](const spot& at) {
      const std::uint64_t before = last_[{r.buffer.number, at}];
      const bool has_content = before != 0 || b.initial == initial_data::replicated;
      written[{r.buffer.number, at}] = value_of((r.includes_current && has_content ? text_of(before) : "") + all);
    });
  }
  void do_compute(node_number self, const instruction& i, const compute& c, const task& t,
                  std::map<buffer_spot, std::uint64_t>& written) {
    node_model& n = *nodes_[self];
    const std::string mine = " " + c.chunk.text() + " on " + std::to_string(self);
    for (std::size_t r = 0; r < t.reductions.size(); ++r) {
      const used_allocation& u = c.uses[t.accesses.size() + r];
      if (u.is.number == 0) continue;
      CHECK(n.memory_of(u.is) == n.graph.shape().memory_of(c.by));
      CHECK(u.part == buffers_[t.reductions[r].buffer.number].elements);
      each_spot(u.part, [&](const spot& at) {
        CHECK(text_of(n.read(i, u.is, at)) == "");
        n.write(i, u.is, at, value_of(mine));
      });
    }
    contributed_[self] += mine;
    for (const effect_use& e : t.effects) n.use(i, e);
    std::map<std::pair<std::uint64_t, spot>, bool> used;  // whether it is written
    for (std::size_t a = 0; a < t.accesses.size(); ++a) {
      const graph::access& is = t.accesses[a];
      used_boxes boxes;
      is.where.used_by(c.chunk, t.range, boxes);
      for (box b : boxes) {
        b = intersection(b, is.where.elements());
        if (b.is_empty()) continue;
        REQUIRE(c.uses[a].is.number != 0);
        CHECK(n.buffer_of(c.uses[a].is) == is.buffer);
        CHECK(n.memory_of(c.uses[a].is) == n.graph.shape().memory_of(c.by));
        CHECK(n.elements(c.uses[a].is).contains(c.uses[a].part));
        CHECK(c.uses[a].part.contains(b));
        each_spot(b, [&](const spot& at) {
          bool& wrote = used[{c.uses[a].is.number, at}];
          wrote = wrote || writes(is.how);
          if (reads(is.how)) CHECK(text_of(n.read(i, c.uses[a].is, at)) == text_of(last_[{is.buffer.number, at}]));
        });
      }
    }
    for (const auto& [which, wrote] : used)
      if (wrote) {
        n.write(i, {which.first}, which.second, i.of.number);
        CHECK(written.emplace(buffer_spot(n.buffer_of({which.first}).number, which.second), i.of.number).second);
      }
  }

  task_graph tasks_;
  std::vector<buffer> buffers_;
  std::vector<std::unique_ptr<command_graph>> commands_;
  std::vector<std::unique_ptr<node_model>> nodes_;
  std::map<buffer_spot, std::uint64_t> last_;
  std::vector<std::string> texts_;
  std::vector<std::string> contributed_;  // by node
};

class drawn {
 public:
  explicit drawn(std::uint32_t seed) : random_(seed) {}
  coordinate number(coordinate least, coordinate most) {
    return std::uniform_int_distribution<coordinate>(least, most)(random_);
  }
  std::vector<double> weights(std::size_t n) {
    std::vector<double> all;
    while (all.size() < n) all.push_back(number(0, 4) == 0 ? 0.01 : static_cast<double>(number(1, 9)));
    return number(0, 4) == 0 ? std::vector<double>() : all;
  }
  box some(int axes) {
    point min, max(1, 1, 1);
    for (int a = 0; a < axes; ++a) {
      min[a] = number(-2, 3);
      max[a] = min[a] + number(1, 9);
    }
    return box::between(min, max);
  }
  mapping one(const box& elements, bool writes) {
    const point border(number(0, 2), number(0, 2), 0);
    const auto away = [&](const box& b, const point& by) { return intersection(b.shifted(by), elements); };
    switch (number(0, writes ? 3 : 7)) {
      case 0: return mapping::one_to_one(elements);
      case 1: return mapping::transposed(elements, {1, 0, 2});
      case 2: return mapping::even_split(elements);
      case 3:
        return mapping::custom(elements,
                               [away, border](const box& chunk, const box&) { return region(away(chunk, border)); });
      case 4: return mapping::star(elements, border);
      case 5: return mapping::slice(elements, static_cast<int>(number(0, 1)));
      case 6: return mapping::all(elements);
      default: return mapping::wrapped(elements, border);
    }
  }

 private:
  std::mt19937 random_;
};

struct received {
  int refused = 0;  // programs that ended early, since chunks would have written the same elements
  int tasks = 0, too_large = 0;
  std::size_t taken_over = 0;
};

/// `largest` 0: unbounded memories. Else some memories are bounded, up to that many bytes.
void run(std::uint32_t seed, std::uint64_t largest, received& out) {
  CAPTURE(seed);
  drawn d(seed);
  const int axes = static_cast<int>(d.number(1, 2));
  const horizon_policy policy{.step = static_cast<std::uint64_t>(d.number(0, 4)), .most_parallel = 0};
  node_shape shape;
  constexpr int many = 6;  // enough devices that parts read by all are gathered
  if (d.number(0, 3) == 0)
    for (coordinate n = d.number(4, many); n > 0; --n) shape.devices.push_back(static_cast<memory_number>(n));
  else
    for (coordinate n = d.number(0, 3); n > 0; --n) shape.devices.push_back(static_cast<memory_number>(d.number(0, 3)));
  if (largest)
    for (int m = 0; m <= many; ++m)
      shape.bounds.push_back(
          {d.number(0, 4) == 0 ? 0 : static_cast<std::uint64_t>(d.number(8, static_cast<coordinate>(largest))),
           static_cast<std::uint64_t>(d.number(1, 8))});
  job_model job(static_cast<node_number>(d.number(1, 4)), shape, policy);
  std::vector<box> elements;
  for (coordinate n = d.number(1, 3); n > 0; --n) {
    elements.push_back(d.some(axes));
    job.add({.elements = elements.back(),
             .initial = d.number(0, 1) ? initial_data::replicated : initial_data::none,
             .name = "b",
             .element_bytes = element_bytes});
  }
  std::vector<task> before;
  for (int i = 0; i < 20; ++i) {
    if (d.number(0, 4) == 0)
      job.set_weights(d.weights(job.nodes()), [&] {
        return shape.devices.empty() ? std::vector<double>()
                                     : d.weights(shape.devices.size() + static_cast<std::size_t>(d.number(0, 1)));
      });
    if (largest && d.number(0, 3) == 0) job.clear(static_cast<memory_number>(d.number(1, many)));
    task t;
    if (d.number(0, 1)) t.shape = static_cast<std::uint64_t>(i) + 1;
    t.range = d.some(axes);
    t.name = "t";
    if (d.number(0, 9) == 0) t.kind = d.number(0, 1) ? task_kind::one : task_kind::each;
    if (d.number(0, 3) == 0) t.by = processors::host;
    else if (d.number(0, 3) == 0) t.devices = static_cast<std::uint64_t>(d.number(0, (1 << shape.devices.size()) - 1));
    // Few names that recur, or so many that some are forgotten.
    for (coordinate uses = t.by == processors::host ? d.number(0, 3) : 0; uses > 0; --uses) {
      const effect_use e{static_cast<std::uint32_t>(d.number(0, seed % 2 ? 2 : 39)), d.number(0, 1) == 0, {}};
      if (std::ranges::find(t.effects, e.effect, &effect_use::effect) == t.effects.end()) t.effects.push_back(e);
    }
    if (d.number(0, 1)) t.how = cut::in_tiles;
    t.pieces = static_cast<std::uint32_t>(d.number(1, 3));
    for (std::uint32_t b = 0; b < elements.size(); ++b)
      for (coordinate uses = d.number(0, 2); uses > 0; --uses) {
        const bool is_written = !t.accesses.empty() && t.accesses.back().buffer.number == b;
        if (is_written) break;  // such a task has a race: it reads what it writes there
        const bool writes = t.kind != task_kind::each && uses == 1 && d.number(0, 1);
        t.accesses.push_back(
            {{b}, writes ? (d.number(0, 1) ? mode::write : mode::read_write) : mode::read, d.one(elements[b], writes)});
      }
    for (std::uint32_t b = 0; b < elements.size(); ++b)
      if (d.number(0, 3) == 0 &&
          std::ranges::none_of(t.accesses, [&](const graph::access& a) { return a.buffer.number == b; }))
        t.reductions.push_back({{b}, d.number(0, 1) == 1});
    // Or a task of a known shape, sometimes cut by other weights.
    if (!before.empty() && d.number(0, 3) == 0)
      t = before[static_cast<std::size_t>(d.number(0, static_cast<coordinate>(before.size()) - 1))];
    before.push_back(t);
    try {
      ++out.tasks;
      if (job.fits(t)) job.submit(t);
      else ++out.too_large;
    } catch (const error& e) {
      CHECK(std::string(e.code()) == "B04");
      ++out.refused;
      return;
    }
  }
  for (std::uint32_t b = 0; b < elements.size(); ++b) job.remove(b);
  out.taken_over += job.taken_over();
}

task over(const box& range, std::vector<graph::access> accesses) {
  task t;
  t.range = range;
  t.name = "t";
  t.accesses = std::move(accesses);
  return t;
}

}  // namespace

TEST_CASE("on all nodes and devices kernels find the last version in their own memory, and conflicts are ordered") {
  const std::uint32_t programs = std::getenv("STRETTO_TEST_LONG") ? 20000 : 300;
  received all;
  for (std::uint32_t seed = 0; seed < programs; ++seed) run(seed, 0, all);
  CHECK(all.refused < static_cast<int>(programs) / 2);
  CHECK(all.too_large == 0);
}

TEST_CASE(
    "so they do where memories of devices are too small for what a program uses, and allocations never share an "
    "address") {
  const std::uint32_t programs = std::getenv("STRETTO_TEST_LONG") ? 20000 : 400;
  received all;
  for (std::uint32_t seed = 0; seed < programs; ++seed) run(seed, seed % 2 ? 300 : 900, all);
  CHECK(all.refused < static_cast<int>(programs) / 2);
  CHECK(all.too_large > 0);
  CHECK(all.too_large < all.tasks / 2);
  CHECK(all.taken_over > programs);
}

TEST_CASE("a reduction on devices is folded on each node, and sent once for each doubling of nodes") {
  job_model job(8, {.devices = {1, 2}}, {});
  const box all(0, 64), few(0, 3);
  job.add({.elements = all, .initial = initial_data::replicated, .name = "x"});
  job.add({.elements = few, .name = "sums"});
  task t = over(all, {{{0}, mode::read, mapping::one_to_one(all)}});
  t.reductions.push_back({{1}, false});
  job.submit(t);
  CHECK(job.sent == 8 * 3 * 3);      // nodes, doublings, elements
  CHECK(job.folded == 8 * (1 + 3));  // the value of the second device, and the received ones
  task reads = over(box(0, 8), {{{1}, mode::read, mapping::all(few)}});
  job.submit(reads);
  CHECK(job.sent == 8 * 3 * 3);
}

TEST_CASE("each device gets as many pieces of a task as it says, one next to the other") {
  instruction_graph g({.devices = {1, 2}});
  command_graph commands(0, 1);
  const box all(0, 60);
  std::vector<instruction> out;
  commands.add({.elements = all, .name = "b"});
  const buffer_id b = g.add({.elements = all, .name = "b"}, out);
  task t = over(all, {{b, mode::write, mapping::one_to_one(all)}});
  t.pieces = 3;
  std::vector<command> c;
  commands.add({1}, t, c);
  g.add({1}, t, c, out);
  std::vector<std::pair<processor_number, box>> computed;
  for (const instruction& i : out)
    if (const auto* what = std::get_if<compute>(&i.what)) computed.push_back({what->by, what->chunk});
  CHECK(computed ==
        std::vector<std::pair<processor_number, box>>{
            {0, box(0, 10)}, {0, box(10, 20)}, {0, box(20, 30)}, {1, box(30, 40)}, {1, box(40, 50)}, {1, box(50, 60)}});
}

using parts = std::vector<std::pair<processor_number, box>>;

/// The processor of each part, on a node that computes the whole range.
parts parts_of(instruction_graph& g, const task& t, task_id id, std::vector<instruction>& out) {
  std::vector<command> c{{{}, {}, {}, execute{t.range}}};
  out.clear();
  g.add(id, t, c, out);
  parts all;
  for (const instruction& i : out)
    if (const auto* what = std::get_if<compute>(&i.what)) all.push_back({what->by, what->chunk});
  return all;
}

TEST_CASE("devices get shares of a task by their weights, each in its pieces, and the host, too, if it has a weight") {
  instruction_graph g({.devices = {1, 2}});
  const box all(0, 102);
  std::vector<instruction> out;
  const buffer_id b = g.add({.elements = all, .name = "b"}, out);
  task t = over(all, {{b, mode::write, mapping::one_to_one(all)}});
  t.shape = 1;
  std::uint64_t id = 0;
  const auto computed = [&] { return parts_of(g, t, {++id}, out); };
  CHECK(computed() == parts{{0, box(0, 51)}, {1, box(51, 102)}});
  g.set_weights(chunk_weights(std::vector<double>{1, 3}));
  CHECK(computed() == parts{{0, box(0, 26)}, {1, box(26, 102)}});
  g.set_weights(chunk_weights(std::vector<double>{4, 4, 2}));
  CHECK(computed() == parts{{0, box(0, 41)}, {1, box(41, 81)}, {2, box(81, 102)}});
  g.set_weights(chunk_weights());
  CHECK(computed() == parts{{0, box(0, 51)}, {1, box(51, 102)}});
  t.pieces = 2;
  t.shape = 2;
  g.set_weights(chunk_weights(std::vector<double>{1, 3}));
  CHECK(computed() == parts{{0, box(0, 13)}, {0, box(13, 26)}, {1, box(26, 64)}, {1, box(64, 102)}});
}

TEST_CASE("a task that names some of the devices is computed by those, cut by their weights alone") {
  instruction_graph g({.devices = {1, 2, 3}});
  const box all(0, 40);
  std::vector<instruction> out;
  const buffer_id b = g.add({.elements = all, .name = "b"}, out);
  task t = over(all, {{b, mode::write, mapping::one_to_one(all)}});
  std::uint64_t id = 0;
  const auto computed = [&](std::uint64_t devices) {
    t.devices = devices;
    return parts_of(g, t, {++id}, out);
  };
  CHECK(computed(0b101) == parts{{0, box(0, 20)}, {2, box(20, 40)}});
  CHECK(computed(0b010) == parts{{1, all}});
  g.set_weights(chunk_weights(std::vector<double>{3, 9, 1, 7}));  // the last weight is that of the host
  CHECK(computed(0b101) == parts{{0, box(0, 30)}, {2, box(30, 40)}});
  CHECK(computed(0b010) == parts{{1, all}});
}

TEST_CASE("two devices that would write the same elements are refused by the name of each") {
  instruction_graph g({.devices = {1, 2}});
  const box all(0, 8);
  std::vector<instruction> out;
  const buffer_id b = g.add({.elements = all, .name = "image"}, out);
  const task t = over(all, {{b, mode::write, mapping::all(all)}});
  try {
    g.check(t, all);
    FAIL("it was let pass");
  } catch (const error& e) {
    CHECK(std::string(e.code()) == "B04");
    CHECK(std::string(e.what()).find("[0,4) on D0, [4,8) on D1") != std::string::npos);
  }
  CHECK(out.empty());
}

TEST_CASE("an array that grows is allocated again only now and then, and once where that was expected") {
  const box all({0, 0}, {64, 16});
  const auto allocations = [&](bool looks_ahead) {
    instruction_graph g({.devices = {1}});
    command_graph commands(0, 1);
    std::vector<instruction> out;
    commands.add({.elements = all, .name = "b"});
    const buffer_id b = g.add({.elements = all, .name = "b"}, out);
    std::vector<task> tasks;
    for (coordinate row = 0; row < 64; ++row)
      tasks.push_back(over(box({row, 0}, {row + 1, 16}), {{b, mode::write, mapping::one_to_one(all)}}));
    if (looks_ahead)
      for (const task& t : tasks) g.expect(t, t.range);
    std::uint64_t id = 0;
    for (const task& t : tasks) {
      std::vector<command> c;
      commands.add({++id}, t, c);
      g.add({id}, t, c, out);
    }
    return std::ranges::count_if(out, [](const instruction& i) { return std::holds_alternative<allocate>(i.what); });
  };
  CHECK(allocations(false) < 15);
  CHECK(allocations(true) == 1);
}

/// A program on one node, command by command.
struct on_one_node {
  explicit on_one_node(const node_shape& shape) : graph(shape) {}
  buffer_id add(const box& elements, std::uint32_t bytes, const char* name) {
    const buffer b{.elements = elements, .name = name, .element_bytes = bytes};
    commands.add(b);
    return graph.add(b, out);
  }
  void submit(const task& t) {
    graph.check(t, commands.own_chunk(t));
    std::vector<command> c;
    commands.add({++id}, t, c);
    graph.add({id}, t, c, out);
  }
  template <class Kind>
  std::vector<Kind> all() const {
    std::vector<Kind> found;
    for (const instruction& i : out)
      if (const auto* k = std::get_if<Kind>(&i.what)) found.push_back(*k);
    return found;
  }

  instruction_graph graph;
  command_graph commands{0, 1};
  std::vector<instruction> out;
  std::uint64_t id = 0;
};

TEST_CASE(
    "parts that many devices have apart and all of them read are put together on the host: two copies for each "
    "device") {
  const box all(0, 64);
  const auto copies = [&](memory_number devices, std::uint32_t bytes, const mapping& read) {
    node_shape shape;
    for (memory_number m = 1; m <= devices; ++m) shape.devices.push_back(m);
    on_one_node one(shape);
    const buffer_id u = one.add(all, bytes, "u"), v = one.add(all, bytes, "v");
    for (int round = 0; round < 2; ++round) {  // in the second round the allocations exist
      one.out.clear();
      one.submit(over(all, {{u, mode::write, mapping::one_to_one(all)}}));
      one.submit(over(all, {{u, mode::read, read}, {v, mode::write, mapping::one_to_one(all)}}));
    }
    return one.all<graph::copy>();
  };
  for (memory_number devices = 4; devices < 9; ++devices) {
    const auto made = copies(devices, 8, mapping::all(all));
    REQUIRE(made.size() == 2u * devices);
    for (std::size_t c = 0; c < made.size(); ++c) {
      if (c < devices) CHECK(made[c].to == made[0].to);  // an allocation in host memory
      else CHECK(made[c].from == made[0].to);
      CHECK(made[c].parts.size() <= 2);  // before and behind its own part
    }
  }
  CHECK(copies(3, 8, mapping::all(all)).size() <= 4);                            // few devices: direct copies
  CHECK(copies(8, 4u << 20, mapping::all(all)).size() <= 14);                    // large parts: copied once only
  CHECK(copies(8, 8, mapping::neighborhood(all, point(1, 0, 0))).size() == 14);  // each device reads only a part
}

TEST_CASE("an array of which each launch writes a row that all read next grows seldom, on each of several devices") {
  for (const std::size_t devices : {1, 2, 4, 7}) {
    CAPTURE(devices);
    node_shape shape;
    for (std::size_t m = 1; m <= devices; ++m) shape.devices.push_back(static_cast<memory_number>(m));
    const auto r = test::recorded_generative(1, 200, shape);
    std::map<memory_number, int> allocations;
    for (const instruction& i : r.of_nodes[0].instructions)
      if (const auto* a = std::get_if<allocate>(&i.what)) ++allocations[a->where];
    // grows by half each time, up to 200
    for (std::size_t m = 1; m <= devices; ++m) CHECK(allocations[static_cast<memory_number>(m)] < 16);
  }
}

TEST_CASE("a full memory evicts the least recently used allocation, to host memory if it is valid nowhere else") {
  on_one_node one({.devices = {1}, .bounds = {{}, {.bytes = 3 * 64, .grain = 64}}});
  const box all(0, 64);
  std::vector<buffer_id> b;
  for (const char* name : {"a", "b", "c", "d"}) b.push_back(one.add(all, 1, name));
  const auto writes = [&](std::size_t n) { return over(all, {{b[n], mode::write, mapping::one_to_one(all)}}); };
  const auto reads = [&](std::size_t n) { return over(all, {{b[n], mode::read, mapping::one_to_one(all)}}); };
  for (std::size_t n : {0, 1, 2}) one.submit(writes(n));
  one.submit(reads(0));
  CHECK(one.all<release>().empty());
  one.submit(writes(3));  // evicts b
  REQUIRE(one.all<release>().size() == 1);
  CHECK(one.all<release>()[0].is == one.all<allocate>()[1].is);
  REQUIRE(one.all<graph::copy>().size() == 1);
  CHECK(one.all<graph::copy>()[0].of == b[1]);
  CHECK(one.all<allocate>().back().offset == 64u);
  one.submit(reads(1));  // and b evicts c
  REQUIRE(one.all<release>().size() == 2);
  CHECK(one.all<release>()[1].is == one.all<allocate>()[2].is);
  one.submit(writes(0));
  one.submit(writes(3));
  one.submit(reads(2));  // b is still valid in host memory, so nothing is copied there
  CHECK(one.all<graph::copy>().size() == 4);
}

TEST_CASE("an array that grows in a memory with too little room for old and new goes through the host's") {
  on_one_node one({.devices = {1}, .bounds = {{}, {.bytes = 1024, .grain = 64}}});
  const box all({0, 0}, {16, 64});
  const buffer_id b = one.add(all, 1, "rows");
  for (coordinate row = 0; row < 16; ++row)
    one.submit(over(box({row, 0}, {row + 1, 64}), {{b, mode::write, mapping::one_to_one(all)}}));
  one.submit(over(all, {{b, mode::read, mapping::one_to_one(all)}}));
  CHECK(one.all<allocate>().back().where == 1);
  CHECK(one.all<allocate>().back().elements == all);
}

TEST_CASE("a launch that is too large for a memory is cut until one piece leaves room for the next") {
  on_one_node one({.devices = {1, 2}, .bounds = {{}, {.bytes = 1024, .grain = 64}, {.bytes = 512, .grain = 64}}});
  const box all(0, 8192);
  const buffer_id u = one.add(all, 1, "u"), v = one.add(all, 1, "v");
  one.submit(over(all, {{u, mode::write, mapping::one_to_one(all)}}));
  one.submit(over(
      all, {{u, mode::read, mapping::neighborhood(all, point(1, 0, 0))}, {v, mode::write, mapping::one_to_one(all)}}));
  std::size_t computed = 0;
  for (const compute& c : one.all<compute>()) {
    std::uint64_t bytes = 0;
    for (const used_allocation& a : c.uses) bytes += a.part.volume();
    CHECK(bytes <= 512 / 2);
    computed += c.chunk.volume();
  }
  CHECK(computed == 2 * 8192);
}

TEST_CASE("a launch whose pieces are all too large is refused with the bytes of each buffer, and nothing has changed") {
  on_one_node one({.devices = {1}, .bounds = {{}, {.bytes = 1000, .grain = 64}}});
  const box all(0, 512);
  const buffer_id u = one.add(all, 4, "u"), v = one.add(all, 1, "v");
  const auto told = [&](const task& t) {
    try {
      one.submit(t);
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string("it was let pass");
  };
  CHECK(told(over(all, {{u, mode::read, mapping::all(all)}, {v, mode::write, mapping::one_to_one(all)}})) ==
        "error B24: \"t\" needs more of the memory of D0 than there is\n"
        "  needed      2,112 bytes at once, for chunk [0,1)\n"
        "  memory      960 bytes\n"
        "  buffers     2,048 bytes of buffer B0 \"u\", 64 bytes of buffer B1 \"v\"\n"
        "  because     it is already cut into the smallest pieces possible, or smaller pieces need as much memory\n"
        "  try         map fewer elements, or use the memory of the host: launch(on(device_kind::host), ...)");
  CHECK(told(over(all, {{u, mode::read, mapping::neighborhood(all, point(1, 0, 0))},
                        {u, mode::write, mapping::one_to_one(all)}})) ==
        "error B24: \"t\" needs more of the memory of D0 than there is\n"
        "  needed      2,048 bytes at once, for chunk [0,512)\n"
        "  memory      960 bytes\n"
        "  buffers     2,048 bytes of buffer B0 \"u\"\n"
        "  because     it cannot be cut into pieces that fit: some pieces would use elements that others write\n"
        "  try         map fewer elements, or use the memory of the host: launch(on(device_kind::host), ...)");
  CHECK(one.out.empty());
}

TEST_CASE("elements that only one device needs are received in its memory, without a copy in host memory") {
  instruction_graph g({.devices = {1}});
  command_graph commands(1, 2);
  const box all(0, 8);
  std::vector<instruction> out;
  commands.add({.elements = all, .name = "b"});
  const buffer_id b = g.add({.elements = all, .name = "b"}, out);
  const std::vector<task> tasks{over(all, {{b, mode::write, mapping::one_to_one(all)}}),
                                over(all, {{b, mode::read, mapping::neighborhood(all, point(1, 0, 0))}})};
  std::uint64_t id = 0;
  for (const task& t : tasks) {
    std::vector<command> c;
    commands.add({++id}, t, c);
    g.add({id}, t, c, out);
  }
  std::size_t received = 0;
  for (const instruction& i : out) {
    if (const auto* a = std::get_if<allocate>(&i.what)) CHECK(a->where == 1);
    received += std::holds_alternative<receive>(i.what);
  }
  CHECK(received == 1);
}

TEST_CASE("with horizons a program that never ends is remembered in constant room") {
  instruction_graph g({.devices = {1, 2}});
  command_graph commands(0, 2);
  task_graph tasks({.step = 2, .most_parallel = 0});
  const box all(0, 64);
  std::vector<instruction> out;
  for (int i = 0; i < 2; ++i)
    tasks.add(buffer{.elements = all, .name = "b"}), commands.add({.elements = all, .name = "b"}),
        g.add({.elements = all, .name = "b"}, out);
  std::size_t most = 0, most_followed = 0;
  for (std::uint32_t step = 0; step < 3000; ++step) {
    const std::uint32_t from = step % 2;
    const task t = over(all, {{{from}, mode::read, mapping::neighborhood(all, point(1, 0, 0))},
                              {{1 - from}, mode::write, mapping::one_to_one(all)}});
    const auto run_one = [&](task_id id, const task& one) {
      std::vector<command> c;
      commands.add(id, one, c);
      out.clear();
      g.add(id, one, c, out);
      for (const instruction& i : out) most_followed = std::max(most_followed, i.follows.size());
    };
    run_one(tasks.add(t).id, t);
    task horizon;
    horizon.kind = task_kind::horizon;
    if (const auto h = tasks.add_horizon()) run_one(h->id, horizon);
    if (step > 10) most = std::max(most, g.remembered());
  }
  CHECK(most < 100);
  CHECK(most_followed < 12);
}
