// Runs all nodes of a random program at once, and tracks the version of every element on every node.
#include "graph/command_graph.hpp"

#include <doctest/doctest.h>
#include <stretto/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "graph/task_graph.hpp"

using namespace stretto;
using namespace stretto::graph;

namespace {

using at = std::array<coordinate, max_axes>;

template <class F>
void each_element(const box& b, F f) {
  for (coordinate i = b.min()[0]; i < b.max()[0]; ++i)
    for (coordinate j = b.min()[1]; j < b.max()[1]; ++j)
      for (coordinate k = b.min()[2]; k < b.max()[2]; ++k) f(at{i, j, k});
}

using element = std::pair<std::uint32_t, at>;  // buffer number and point
constexpr std::uint32_t first_group = 1000;    // groups are modelled as writers of an element
constexpr std::uint32_t first_effect = 2000;   // and so are side effects
using versions = std::map<element, std::uint64_t>;

/// The commands of one node that use an element, and whether those that must be ordered are.
class order {
 public:
  void add(const command& c) {
    auto& mine = before_.emplace_back(c.id.number + 1, false);
    REQUIRE(before_.size() == c.id.number + 1);
    for (const std::uint64_t f : c.follows) {
      REQUIRE(f < c.id.number);
      mine[f] = true;
      for (std::size_t n = 0; n < before_[f].size(); ++n)
        if (before_[f][n]) mine[n] = true;
    }
  }
  void use(const command& c, const element& e, bool writes) {
    for (const auto& [other, wrote] : uses_[e])
      if ((writes || wrote) && other != c.id.number) CHECK(before_[c.id.number][other]);
    uses_[e].push_back({c.id.number, writes});
  }
  bool is_before(std::uint64_t early, const command& late) const { return before_[late.id.number][early]; }
  void begin() { before_.emplace_back(1, false); }  // the first epoch

 private:
  std::vector<std::vector<bool>> before_;
  std::map<element, std::vector<std::pair<std::uint64_t, bool>>> uses_;
};

/// A job whose nodes all generate their commands, and the results of executing them.
class model {
 public:
  model(node_number nodes, const horizon_policy& p) : tasks_(p), orders_(nodes), held_(nodes) {
    for (node_number n = 0; n < nodes; ++n) commands_.push_back(std::make_unique<command_graph>(n, nodes));
    for (order& o : orders_) o.begin();
  }

  buffer_id add(const buffer& b) {
    const buffer_id id = tasks_.add(b);
    elements_.push_back(b.elements);
    if (b.initial == initial_data::none)
      each_element(b.elements, [&](const at& i) { unwritten_.insert({id.number, i}); });
    for (auto& c : commands_) CHECK(c->add(b) == id);
    return id;
  }

  void set_weights(const std::vector<double>& of_nodes) {
    for (auto& c : commands_) c->set_weights(chunk_weights(of_nodes));
  }
  node_number nodes() const { return static_cast<node_number>(commands_.size()); }

  void submit(const task& t) {
    submit_task(tasks_.add(t).id, t);
    if (const auto h = tasks_.add_horizon()) {
      task horizon;
      horizon.kind = task_kind::horizon;
      submit_task(h->id, horizon);
    }
  }

  std::size_t sent = 0, most_followed = 0;
  std::size_t remembered() const { return commands_[0]->remembered(); }

 private:
  using messages = std::map<std::pair<node_number, element>, std::uint64_t>;  // version, by receiver

  void submit_task(task_id id, const task& t) {
    std::vector<std::vector<command>> all(commands_.size());
    for (std::size_t n = 0; n < all.size(); ++n) {
      commands_[n]->add(id, t, all[n]);
      for (const command& c : all[n]) {
        CHECK(c.of == id);
        orders_[n].add(c);
        most_followed = std::max(most_followed, c.follows.size());
      }
    }
    messages on_the_way;
    for (node_number n = 0; n < all.size(); ++n)
      for (const command& c : all[n])
        if (const auto* p = std::get_if<push>(&c.what)) do_push(n, c, *p, on_the_way);
    for (node_number n = 0; n < all.size(); ++n)
      for (const command& c : all[n])
        if (const auto* a = std::get_if<await_push>(&c.what)) do_await(n, c, *a, on_the_way);
    CHECK(on_the_way.empty());
    if (t.kind != task_kind::horizon) check_unwritten(t, all);
    versions written;
    for (node_number n = 0; n < all.size(); ++n)
      for (const command& c : all[n])
        if (const auto* e = std::get_if<execute>(&c.what)) do_execute(n, c, *e, t, written);
    for (const auto& [e, v] : written) last_[e] = v, unwritten_.erase(e);
    for (const reduction& r : t.reductions) {
      for (node_number n = 0; n < all.size(); ++n) do_reduce(n, r, all);
      each_element(elements_[r.buffer.number], [&](const at& i) {
        last_[element{r.buffer.number, i}] = id.number, unwritten_.erase({r.buffer.number, i});
      });
    }
  }

  // Every node reports, for each access, the elements that any chunk reads and no task has written.
  void check_unwritten(const task& t, const std::vector<std::vector<command>>& all) {
    std::map<std::size_t, std::set<element>> expected;
    const auto expect = [&](std::size_t access, std::uint32_t buffer, const box& where) {
      each_element(where, [&](const at& i) {
        if (unwritten_.contains({buffer, i})) expected[access].insert({buffer, i});
      });
    };
    for (const auto& of_node : all)
      for (const command& c : of_node)
        if (const auto* x = std::get_if<execute>(&c.what))
          for (std::size_t i = 0; i < t.accesses.size(); ++i) {
            used_boxes used;
            if (reads(t.accesses[i].how)) t.accesses[i].where.used_by(x->chunk, t.range, used);
            for (const box& b : used) expect(i, t.accesses[i].buffer.number, b);
          }
    for (std::size_t i = 0; i < t.reductions.size(); ++i)
      if (const reduction& r = t.reductions[i]; r.includes_current)
        expect(t.accesses.size() + i, r.buffer.number, elements_[r.buffer.number]);
    for (auto& c : commands_) {
      std::map<std::size_t, std::set<element>> told;
      for (const unwritten_read& u : c->take_unwritten_reads()) {
        const std::size_t reduction = u.access - t.accesses.size();
        const buffer_id b = u.access < t.accesses.size() ? t.accesses[u.access].buffer : t.reductions[reduction].buffer;
        for (const box& where : u.where.boxes())
          each_element(where, [&](const at& i) { told[u.access].insert({b.number, i}); });
      }
      CHECK(told == expected);
    }
  }

  // The contributors are the nodes with a chunk, and each folds behind its own.
  void do_reduce(node_number n, const reduction& r, const std::vector<std::vector<command>>& all) {
    node_number contributors = 0;
    for (node_number other = 0; other < all.size(); ++other)
      for (const command& c : all[other])
        if (std::holds_alternative<execute>(c.what)) {
          CHECK(other == contributors++);
          if (other == n) chunk_ = c.id.number;
        }
    std::size_t found = 0;
    for (const command& c : all[n]) {
      const auto* what = std::get_if<reduce>(&c.what);
      if (!what || what->buffer != r.buffer) continue;
      ++found;
      CHECK(what->contributors == contributors);
      CHECK(what->includes_current == r.includes_current);
      if (n < contributors) CHECK(orders_[n].is_before(chunk_, c));
      each_element(elements_[r.buffer.number], [&](const at& i) {
        const element e{r.buffer.number, i};
        if (n == 0 && r.includes_current) CHECK(held_[n][e] == last_[e]);
        orders_[n].use(c, e, true);
        held_[n][e] = c.of.number;
      });
    }
    CHECK(found == 1);
  }

  void do_push(node_number n, const command& c, const push& p, messages& on_the_way) {
    for (const sent_part& part : p.parts) {
      CHECK_FALSE(part.to.contains(n));
      each_element(part.where, [&](const at& i) {
        const element e{p.buffer.number, i};
        orders_[n].use(c, e, false);
        CHECK(held_[n][e] == last_[e]);
        for (node_number to = 0; to < commands_.size(); ++to)
          if (part.to.contains(to)) CHECK(on_the_way.emplace(std::pair(to, e), last_[e]).second);
        sent += part.to.size();
      });
    }
  }
  void do_await(node_number n, const command& c, const await_push& a, messages& on_the_way) {
    for (const box& part : a.parts)
      each_element(part, [&](const at& i) {
        const element e{a.buffer.number, i};
        orders_[n].use(c, e, true);
        const auto came = on_the_way.find({n, e});
        REQUIRE(came != on_the_way.end());
        held_[n][e] = came->second;
        on_the_way.erase(came);
      });
  }
  void do_execute(node_number n, const command& c, const execute& x, const task& t, versions& written) {
    std::set<element> read, wrote;
    if (t.kind == task_kind::collective) {
      CHECK(x.chunk == box(n, n + 1));
      orders_[n].use(c, {first_group + t.group, at{}}, true);
    }
    for (const graph::effect_use& e : t.effects) orders_[n].use(c, {first_effect + e.effect, at{}}, e.is_affected);
    for (const graph::access& a : t.accesses) {
      used_boxes used;
      a.where.used_by(x.chunk, t.range, used);
      for (const box& b : used)
        each_element(intersection(b, a.where.elements()), [&](const at& i) {
          const element e{a.buffer.number, i};
          if (reads(a.how)) read.insert(e);
          if (writes(a.how)) wrote.insert(e);
        });
    }
    for (const element& e : read) {
      CHECK(held_[n][e] == last_[e]);
      if (!wrote.contains(e)) orders_[n].use(c, e, false);
    }
    for (const element& e : wrote) {
      orders_[n].use(c, e, true);
      held_[n][e] = c.of.number;
      CHECK(written.emplace(e, c.of.number).second);
    }
  }

  task_graph tasks_;
  std::vector<std::unique_ptr<command_graph>> commands_;
  std::vector<order> orders_;
  std::vector<versions> held_;
  versions last_;
  std::set<element> unwritten_;
  std::vector<box> elements_;  // by buffer number
  std::uint64_t chunk_ = 0;
};

/// Draws random programs; every second mapping that could be custom is.
class draw {
 public:
  explicit draw(std::uint32_t seed) : random_(seed) {}

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
  box part_of(const box& b) {
    point min = b.min(), max = b.max();
    for (int a = 0; a < max_axes; ++a) {
      min[a] = number(b.min()[a], b.max()[a] - 1);
      max[a] = number(min[a] + 1, b.max()[a]);
    }
    return box::between(min, max);
  }
  mapping one(const box& elements, const box& range, bool writes) {
    const point border(number(0, 2), number(0, 2), 0);
    mapping m;
    switch (number(0, writes ? 2 : 7)) {
      case 0: m = mapping::one_to_one(elements); break;
      case 1: m = mapping::transposed(elements, {1, 0, 2}); break;
      case 2: m = mapping::even_split(elements); break;
      case 3: m = mapping::neighborhood(elements, border); break;
      case 4: m = mapping::star(elements, border); break;
      case 5: m = mapping::slice(elements, static_cast<int>(number(0, 1))); break;
      case 6: m = mapping::fixed(elements, part_of(elements)); break;
      default: m = mapping::wrapped(elements, border); break;
    }
    if (number(0, 3) != 0) return m;
    return mapping::custom(elements, [m, range](const box& chunk, const box&) {
      used_boxes used;
      m.used_by(chunk, range, used);
      return region(std::span<const box>(used));
    });
  }

 private:
  std::mt19937 random_;
};

void run_program(std::uint32_t seed) {
  CAPTURE(seed);
  draw d(seed);
  const int axes = static_cast<int>(d.number(1, 2));
  const horizon_policy policy{.step = static_cast<std::uint64_t>(d.number(0, 4)),
                              .most_parallel = static_cast<std::uint64_t>(d.number(0, 1) ? d.number(2, 6) : 0)};
  model job(static_cast<node_number>(d.number(1, 6)), policy);
  std::vector<box> elements;
  for (coordinate n = d.number(1, 3); n > 0; --n) {
    elements.push_back(d.some(axes));
    const auto initial = d.number(0, 1) ? initial_data::replicated : initial_data::none;
    job.add({.elements = elements.back(), .initial = initial, .name = "b"});
  }
  std::vector<task> before;
  for (int i = 0; i < 25; ++i) {
    if (d.number(0, 4) == 0) job.set_weights(d.weights(job.nodes()));
    task t;
    t.range = d.some(axes);
    if (d.number(0, 1)) t.shape = static_cast<std::uint64_t>(i) + 1;
    t.name = "t";
    if (d.number(0, 9) == 0)
      t.kind = std::array{task_kind::one, task_kind::each, task_kind::fence}[static_cast<std::size_t>(d.number(0, 2))];
    if (d.number(0, 7) == 0) {
      t.kind = task_kind::collective;
      t.group = static_cast<std::uint32_t>(d.number(0, 2));
      t.range = box(0, job.nodes());
    } else if (d.number(0, 1)) {
      t.how = cut::in_tiles;
    }
    // Few names that recur, or so many that some are forgotten.
    for (coordinate uses = d.number(0, 3) == 0 ? d.number(1, 6) : 0; uses > 0; --uses) {
      const graph::effect_use e{static_cast<std::uint32_t>(d.number(0, seed % 2 ? 3 : 39)), d.number(0, 1) == 0, {}};
      if (std::ranges::find(t.effects, e.effect, &graph::effect_use::effect) == t.effects.end()) t.effects.push_back(e);
    }
    if (t.kind != task_kind::collective && d.number(0, 3) == 0) t.grain = extent(d.number(1, 3), d.number(1, 3));
    for (std::uint32_t b = 0; b < elements.size(); ++b) {
      if (d.number(0, 9) == 0) {
        t.reductions.push_back({{b}, d.number(0, 1) == 0});
        continue;
      }
      for (coordinate uses = d.number(0, 2); uses > 0; --uses) {
        const bool writes = !is_on_every_node(t.kind) && uses == 1 && d.number(0, 1);
        t.accesses.push_back({{b},
                              writes ? (d.number(0, 1) ? mode::write : mode::read_write) : mode::read,
                              d.one(elements[b], t.range, writes)});
      }
    }
    // Or a task of a known shape, sometimes cut by other weights.
    if (!before.empty() && d.number(0, 3) == 0)
      t = before[static_cast<std::size_t>(d.number(0, static_cast<coordinate>(before.size()) - 1))];
    before.push_back(t);
    try {
      job.submit(t);
    } catch (const error& e) {
      CHECK(std::string(e.code()) == "B04");  // two chunks of this cut write the same elements
      return;
    }
  }
}

}  // namespace

TEST_CASE("on every node reads find the last version, everything sent is awaited, and conflicts are ordered") {
  const std::uint32_t programs = std::getenv("STRETTO_TEST_LONG") ? 20000 : 400;
  for (std::uint32_t seed = 0; seed < programs; ++seed) run_program(seed);
}

TEST_CASE("a fence brings what it reads to every node, once") {
  const box rows(0, 8);
  task write{
      .range = rows, .accesses = {{{0}, mode::write, mapping::one_to_one(rows)}}, .reductions = {}, .name = "write"};
  task fence{.kind = task_kind::fence,
             .range = box(0, 1),
             .accesses = {{{0}, mode::read, mapping::fixed(rows, box(2, 4))}},
             .reductions = {},
             .name = {}};
  for (node_number self = 0; self < 4; ++self) {
    CAPTURE(self);
    command_graph g(self, 4);
    g.add(buffer{.elements = rows, .name = "b"});
    std::vector<command> made;
    g.add({1}, write, made);
    made.clear();
    g.add({2}, fence, made);
    REQUIRE(made.size() == 2);
    if (self == 1) {
      CHECK(std::get<push>(made[0].what).parts == std::vector<sent_part>{{box(2, 4), node_set(0, 1) | node_set(2, 4)}});
    } else {
      CHECK(std::get<await_push>(made[0].what).parts == std::vector<box>{box(2, 4)});
      CHECK(made[1].follows == dependencies{made[0].id.number});
    }
    CHECK(std::get<execute>(made[1].what).chunk == box(0, 1));
    made.clear();
    g.add({3}, fence, made);
    CHECK(made.size() == 1);
    CHECK(g.take_unwritten_reads().empty());
  }
}

TEST_CASE("reads of unwritten elements are reported once, the same by every node") {
  const box rows(0, 8);
  const mapping own = mapping::one_to_one(rows), near = mapping::neighborhood(rows, {1});
  for (node_number self = 0; self < 2; ++self) {
    command_graph g(self, 2);
    g.add(buffer{.elements = rows, .name = "b"});
    std::vector<command> made;
    g.add({1}, task{.range = box(2, 6), .accesses = {{{0}, mode::write, own}}, .reductions = {}, .name = {}}, made);
    g.add({2},
          task{.range = box(2, 6),
               .accesses = {{{0}, mode::read, own}, {{0}, mode::read, near}},
               .reductions = {},
               .name = {}},
          made);
    const auto told = g.take_unwritten_reads();
    REQUIRE(told.size() == 1);
    CHECK(told[0].access == 1);
    CHECK(told[0].where == region{box(1, 2), box(6, 7)});
    CHECK(g.take_unwritten_reads().empty());
    g.add({3}, task{.range = rows, .accesses = {{{0}, mode::write, own}}, .reductions = {}, .name = {}}, made);
    g.add({4}, task{.range = rows, .accesses = {{{0}, mode::read, mapping::all(rows)}}, .reductions = {}, .name = {}},
          made);
    CHECK(g.take_unwritten_reads().empty());
  }
}

TEST_CASE("with horizons a command follows as few however many steps there were, on every node") {
  // Step t writes row t, each node a part of it, from all rows before.
  const box rows({0, 0}, {400, 16});
  for (const std::uint64_t step : {1u, 2u, 4u}) {
    CAPTURE(step);
    for (node_number self = 0; self < 4; ++self) {
      task_graph tasks({.step = step, .most_parallel = 0});
      command_graph g(self, 4);
      tasks.add(buffer{.elements = rows, .name = {}});
      g.add(buffer{.elements = rows, .name = {}});
      std::vector<std::size_t> most;  // by step
      for (coordinate t = 0; t < 400; ++t) {
        const task next{.range = box({t, 0}, {t + 1, 16}),
                        .accesses = {{{0}, mode::read, mapping::fixed(rows, box({0, 0}, {t, 16}))},
                                     {{0}, mode::write, mapping::one_to_one(rows)}},
                        .reductions = {},
                        .name = {}};
        std::vector<command> made;
        g.add(tasks.add(next).id, next, made);
        if (const auto h = tasks.add_horizon())
          g.add(h->id, task{.kind = task_kind::horizon, .range = {}, .accesses = {}, .reductions = {}, .name = {}},
                made);
        most.push_back(0);
        for (const command& c : made) most.back() = std::max(most.back(), c.follows.size());
      }
      CHECK(*std::max_element(most.begin(), most.end()) <= 4 * step + 4);
      CHECK(std::equal(most.end() - 160, most.end(), most.end() - 200));  // periodic, with a period that divides 40
      CHECK(g.remembered() <= 8 * step + 8);
    }
  }
}
