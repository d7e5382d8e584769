#include <doctest/doctest.h>

#include <algorithm>
#include <bitset>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "graph/task_graph.hpp"

using namespace stretto;
using graph::access, graph::buffer, graph::buffer_id, graph::horizon_policy, graph::mapping, graph::mode,
    graph::ordered_task, graph::task, graph::task_graph;

namespace {

constexpr horizon_policy never{.step = 0, .most_parallel = 0};

task using_boxes(const std::vector<std::tuple<buffer_id, mode, box>>& uses, const box& elements) {
  task t;
  t.range = box(0, 1);
  for (const auto& [b, how, where] : uses) t.accesses.push_back({b, how, mapping::fixed(elements, where)});
  return t;
}

// A random program, and a model of it by elements.
class modelled_program {
 public:
  modelled_program(unsigned seed, bool has_horizons) : random_(seed), has_horizons_(has_horizons) {
    policy_ = any_policy();
    made_.set(policy_);
    for (int b = 0; b < buffers; ++b) add_buffer(b);
    first_effect_ = elements_.size();
    elements_.resize(elements_.size() + effects);
    widest_ = 1 + below(7);
    writes_of_10_ = 1 + below(9);
  }

  /// The first fault; empty if there is none.
  std::string run(int steps) {
    for (int i = 0; i < steps && fault_.empty(); ++i) {
      if (has_horizons_ && below(30) == 0) made_.set(policy_ = any_policy());
      if (below(40) == 0) made_.remove(ids_[0]), add_buffer(0);
      if (has_horizons_ && below(60) == 0) add_epoch();
      add_task();
      add_horizon_if_due();
    }
    for (std::size_t late = 0; late < tasks_.size(); ++late)
      for (std::size_t early = 0; early < late; ++early)
        if (conflict(early, late) && !tasks_[late].before.test(early)) say(late, "does not follow", early);
    return fault_;
  }
  std::size_t horizons() const {
    return static_cast<std::size_t>(std::ranges::count(tasks_, true, &modelled_task::follows_all)) - 1;
  }

 private:
  static constexpr int buffers = 3, cells = 64;  // of each buffer
  // each modelled as an element; more than effect_order keeps before it forgets some
  static constexpr int effects = 24;
  static constexpr std::size_t most_tasks = 800;
  using uses = std::bitset<4'096>;
  struct modelled_task {
    uses reads = {}, writes = {};
    bool follows_all = false;
    std::bitset<most_tasks> before = {};
    std::uint64_t path = 0;  // length of the longest path to it, without horizons
    bool is_followed = false;
  };
  struct modelled_element {
    std::uint64_t writer = 0;
    std::vector<std::uint64_t> readers;
  };

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  horizon_policy any_policy() {
    if (!has_horizons_) return never;
    return {.step = static_cast<std::uint64_t>(below(6)),
            .most_parallel = below(2) ? 0 : static_cast<std::uint64_t>(2 + below(7))};
  }
  // One, two and three axes.
  static box elements_of(int b) {
    return b == 0 ? box(0, cells) : b == 1 ? box({0, 0}, {8, 8}) : box({0, 0, 0}, {4, 4, 4});
  }
  std::size_t cell(int b, const point& p) const {
    const box all = elements_of(b);
    return first_cell_[b] + static_cast<std::size_t>((p[0] * all.length(1) + p[1]) * all.length(2) + p[2]);
  }
  // A buffer that is made anew has elements of its own.
  void add_buffer(int b) {
    ids_[b] = made_.add(buffer{.elements = elements_of(b), .name = {}});
    first_cell_[b] = elements_.size();
    elements_.resize(elements_.size() + cells, {applied_, {}});
  }
  box any_box(int b) {
    const box all = elements_of(b);
    point min, max;
    for (int a = 0; a < max_axes; ++a) {
      const int length = static_cast<int>(all.length(a));
      min[a] = below(length);
      max[a] = std::min<coordinate>(length, min[a] + 1 + below(below(20) == 0 ? length : widest_));
    }
    return box::between(min, max);
  }

  bool conflict(std::size_t early, std::size_t late) const {
    const modelled_task &e = tasks_[early], &l = tasks_[late];
    return (e.writes & (l.reads | l.writes)).any() || (e.reads & l.writes).any();
  }
  void say(std::uint64_t task, const char* what, std::uint64_t other) {
    if (fault_.empty()) fault_ = "T" + std::to_string(task) + " " + what + " T" + std::to_string(other);
  }

  // Enters whom it follows; what is true of all kinds of tasks.
  void appended(const ordered_task& t, modelled_task m) {
    if (t.id.number != tasks_.size()) say(t.id.number, "should be", tasks_.size());
    if (t.follows.empty()) say(t.id.number, "follows nobody of", tasks_.size());
    std::uint64_t last = 0;
    for (const std::uint64_t f : t.follows) {
      if (f >= tasks_.size()) return say(t.id.number, "follows the later", f);
      if (f < applied_) say(t.id.number, "follows, behind the horizon,", f);
      if (f <= last && f != t.follows.front()) say(t.id.number, "follows not in order", f);
      last = f;
      m.before |= tasks_[f].before;
      m.before.set(f);
      m.path = std::max(m.path, tasks_[f].path + !m.follows_all);
      tasks_[f].is_followed = true;
    }
    tasks_.push_back(m);
  }
  void check_remembered() {
    if (made_.remembered() > tasks_.size() - applied_)
      say(applied_, "is applied, but remembered are", made_.remembered());
  }

  void add_task() {
    task t;
    t.range = any_box(below(buffers));
    modelled_task m;
    std::vector<std::uint64_t> asked;  // whom it conflicts with, each element's last
    const auto use = [&](int b, mode how, const box& where) {
      for (auto x = where.min()[0]; x < where.max()[0]; ++x)
        for (auto y = where.min()[1]; y < where.max()[1]; ++y)
          for (auto z = where.min()[2]; z < where.max()[2]; ++z) {
            const std::size_t c = cell(b, {x, y, z});
            if (reads(how)) m.reads.set(c);
            if (writes(how)) m.writes.set(c);
          }
    };
    for (int i = 1 + below(3); i > 0; --i) {
      const int b = below(buffers);
      const mode how = below(10) >= writes_of_10_ ? mode::read : below(2) ? mode::write : mode::read_write;
      const box where = any_box(b);
      if (below(4) == 0) {
        t.accesses.push_back({ids_[b], how, mapping::one_to_one(elements_of(b))});
        use(b, how, intersection(t.range, elements_of(b)));
      } else {
        t.accesses.push_back({ids_[b], how, mapping::fixed(elements_of(b), where)});
        use(b, how, where);
      }
    }
    for (int i = below(4) == 0 ? 1 + below(3) : 0; i > 0; --i) {
      const graph::effect_use e{static_cast<std::uint32_t>(below(below(2) ? 3 : effects)), below(2) == 0, {}};
      if (std::ranges::find(t.effects, e.effect, &graph::effect_use::effect) != t.effects.end()) continue;
      t.effects.push_back(e);
      (e.is_affected ? m.writes : m.reads).set(first_effect_ + e.effect);
    }
    for (std::size_t c = 0; c < elements_.size(); ++c) {
      const modelled_element& e = elements_[c];
      if (m.reads.test(c) || (m.writes.test(c) && e.readers.empty())) asked.push_back(e.writer);
      if (m.writes.test(c)) asked.insert(asked.end(), e.readers.begin(), e.readers.end());
    }
    const ordered_task made = made_.add(t);
    const std::uint64_t number = made.id.number;
    appended(made, m);
    if (!fault_.empty()) return;
    for (const std::uint64_t f : made.follows) {
      if (f > applied_ && !conflict(f, number)) say(number, "has no conflict with", f);
      // Of a side effect the horizon stands for who affected it last, also where all who have used it since follow
      // that.
      if (f == applied_ && t.effects.empty() && made.follows.size() > 1 &&
          std::ranges::none_of(asked, [&](std::uint64_t a) { return a <= applied_; }))
        say(number, "has no conflict older than the horizon", f);
    }
    for (std::size_t c = 0; c < elements_.size(); ++c)
      if (m.writes.test(c)) elements_[c] = {number, {}};
      else if (m.reads.test(c)) elements_[c].readers.push_back(number);
    check_remembered();
  }

  void follows_exactly_the_front(const ordered_task& t) {
    graph::dependencies front;
    for (std::uint64_t n = 0; n < tasks_.size(); ++n)
      if (!tasks_[n].is_followed) front.push_back(n);
    if (t.follows != front) say(t.id.number, "follows not the front of", tasks_.size());
    appended(t, {.follows_all = true});
    if (fault_.empty() && tasks_.back().before.count() != tasks_.size() - 1)
      say(t.id.number, "does not follow all of", tasks_.size());
  }
  void add_horizon_if_due() {
    if (!fault_.empty()) return;
    std::uint64_t longest = 0, front = 0;
    for (const modelled_task& t : tasks_) longest = std::max(longest, t.path), front += !t.is_followed;
    const std::uint64_t grown = longest - tasks_[horizon_].path;
    const bool is_crowded = policy_.most_parallel != 0 && front >= policy_.most_parallel;
    const auto made = made_.add_horizon();
    if (made && !is_crowded && (policy_.step == 0 || grown < policy_.step))
      say(made->id.number, "is too early behind horizon", horizon_);
    if (!made && (is_crowded || (policy_.step != 0 && grown > policy_.step)))
      say(tasks_.size(), "should be a horizon, behind", horizon_);
    if (!made) return;
    follows_exactly_the_front(*made);
    applied_ = std::exchange(horizon_, made->id.number);
    check_remembered();
  }
  void add_epoch() {
    if (!fault_.empty()) return;
    const auto made = made_.add_epoch();
    follows_exactly_the_front(made);
    applied_ = horizon_ = made.id.number;
    check_remembered();
  }

  std::mt19937 random_;
  bool has_horizons_;
  int widest_, writes_of_10_;
  horizon_policy policy_;
  task_graph made_;
  buffer_id ids_[buffers];
  std::size_t first_cell_[buffers] = {}, first_effect_ = 0;
  std::vector<modelled_element> elements_;
  std::vector<modelled_task> tasks_{{.follows_all = true}};  // T0, the first epoch
  std::uint64_t applied_ = 0, horizon_ = 0;
  std::string fault_;
};

// How many each step's task follows.
std::vector<std::size_t> followed_by_steps(task_graph& g, int steps, auto task_of) {
  std::vector<std::size_t> counts;
  for (int t = 0; t < steps; ++t) {
    counts.push_back(g.add(task_of(t)).follows.size());
    g.add_horizon();
  }
  return counts;
}

}  // namespace

TEST_CASE("a task follows the tasks that it conflicts with, over all chunks") {
  task_graph g(never);
  const box all(0, 100);
  const buffer_id a = g.add(buffer{.elements = all, .name = "a"}), b = g.add(buffer{.elements = all, .name = "b"});
  const auto step = [&](buffer_id from, buffer_id to) {
    task t;
    t.range = all;
    t.accesses = {{from, mode::read, mapping::neighborhood(all, {1})}, {to, mode::write, mapping::one_to_one(all)}};
    return g.add(t).follows;
  };
  using graph::dependencies;
  CHECK(step(a, b) == dependencies{0});
  CHECK(step(b, a) == dependencies{1});
  CHECK(step(a, b) == dependencies{2});
  CHECK(step(a, b) == dependencies{2, 3});
  CHECK(g.add(using_boxes({}, all)).follows == dependencies{0});
  CHECK(g.add(using_boxes({{a, mode::read_write, box(0, 1)}}, all)).follows == dependencies{4});
  CHECK(g.add_epoch().follows == dependencies{5, 6});
  CHECK(step(b, a) == dependencies{7});
  CHECK(!g.add_horizon());
}

TEST_CASE("a reduction writes the whole buffer that it reduces into") {
  task_graph g(never);
  const box all(0, 100);
  const buffer_id values = g.add(buffer{.elements = all, .name = "values"}),
                  sum = g.add(buffer{.elements = box(0, 4), .name = "sum"});
  g.add(using_boxes({{sum, mode::read, box(0, 1)}}, box(0, 4)));  // 1
  task t = using_boxes({{values, mode::read, all}}, all);
  t.reductions = {{sum}};
  CHECK(g.add(t).follows == graph::dependencies{0, 1});
  CHECK(g.add(using_boxes({{sum, mode::read, box(3, 4)}}, box(0, 4))).follows == graph::dependencies{2});
  CHECK(g.add(t).follows == graph::dependencies{0, 2, 3});
}

TEST_CASE("a collective task follows the one before of its group, and of no other") {
  task_graph g(never);
  const auto collective = [&](std::uint32_t group) {
    task t;
    t.kind = graph::task_kind::collective;
    t.group = group;
    t.range = box(0, 4);
    return g.add(t).follows;
  };
  using graph::dependencies;
  CHECK(collective(0) == dependencies{0});
  CHECK(collective(7) == dependencies{0});
  CHECK(collective(0) == dependencies{1});
  CHECK(g.add(using_boxes({}, box(0, 4))).follows == dependencies{0});
  CHECK(collective(0) == dependencies{3});
  CHECK(g.add_epoch().follows == dependencies{2, 4, 5});
  CHECK(collective(7) == dependencies{6});  // which is behind the one before
}

TEST_CASE("an affecting task follows all tasks that name the side effect; a user follows the last affecting task") {
  task_graph g(never);
  const auto task_with = [&](std::vector<graph::effect_use> effects) {
    task t;
    t.kind = graph::task_kind::one;
    t.range = box(0, 1);
    t.effects = std::move(effects);
    return g.add(t).follows;
  };
  using graph::dependencies;
  CHECK(task_with({{0, false}}) == dependencies{0});                // 1
  CHECK(task_with({{0, false}}) == dependencies{0});                // 2
  CHECK(task_with({{0, true}}) == dependencies{1, 2});              // 3
  CHECK(task_with({{1, true}}) == dependencies{0});                 // 4
  CHECK(task_with({{0, false}}) == dependencies{3});                // 5
  CHECK(task_with({{0, false}, {1, true}}) == dependencies{3, 4});  // 6
  CHECK(task_with({{0, true}}) == dependencies{3, 5, 6});           // 7
  CHECK(g.add(using_boxes({}, box(0, 4))).follows == dependencies{0});
  g.add_epoch();  // 9
  CHECK(task_with({{0, false}}) == dependencies{9});
  CHECK(task_with({{0, true}}) == dependencies{9, 10});
}

TEST_CASE("the state of side effects is bounded, and forgotten ones still order tasks") {
  graph::sequence order;
  graph::effect_order effects;
  task t;
  const auto add = [&](std::uint32_t effect, bool is_affected) {
    t.effects = {{effect, is_affected}};
    graph::dependencies follows;
    effects.before(t, order, follows);
    order.append(follows);
    effects.add(t, order, order.next() - 1);
    return follows;
  };
  const auto first = add(7, true);
  CHECK(first == graph::dependencies{0});
  for (std::uint32_t e = 1000; e < 3000; ++e) {
    add(e, e % 2 == 0);
    graph::dependencies all;
    if (e % 10 == 0) order.append_horizon(all);
    CHECK(effects.remembered() <= 40);
  }
  CHECK(add(7, true) == graph::dependencies{order.applied()});
  // Users before the horizon are behind it.
  const std::uint64_t user = order.next();
  add(8, false);
  for (int h = 0; h < 2; ++h) {
    graph::dependencies all;
    order.append_horizon(all);
  }
  CHECK(order.applied() > user);
  const std::uint64_t later = order.next();
  add(8, false);
  CHECK(add(8, true) == graph::dependencies{order.applied(), later});
}

TEST_CASE("a buffer that is made late begins at the horizon") {
  task_graph g({.step = 0, .most_parallel = 2});
  const box all(0, 100);
  const buffer_id a = g.add(buffer{.elements = all, .name = {}});
  for (int i = 0; i < 3; ++i) {
    g.add(using_boxes({{a, mode::read, all}}, all));
    CHECK(g.add_horizon().has_value() == (i > 0));  // the first epoch is followed by the first task
  }
  const buffer_id b = g.add(buffer{.elements = all, .name = {}});
  CHECK(g.add(using_boxes({{b, mode::read, all}}, all)).follows ==
        graph::dependencies{3});  // 5 is the last, 3 is applied
}

TEST_CASE("a chain of tasks brings a horizon whenever it has grown by a step") {
  const box all(0, 100);
  for (const std::uint64_t step : {1u, 2u, 3u, 5u}) {
    CAPTURE(step);
    task_graph g({.step = step, .most_parallel = 0});
    const buffer_id a = g.add(buffer{.elements = all, .name = {}});
    std::vector<std::uint64_t> behind, expected;
    for (std::uint64_t i = 1; i <= 30; ++i) {
      g.add(using_boxes({{a, mode::read_write, all}}, all));
      if (g.add_horizon()) behind.push_back(i);
      if (i % step == 0) expected.push_back(i);
    }
    CHECK(behind == expected);
  }
}

TEST_CASE("conflicting tasks are ordered and others are not, without horizons, over many seeds") {
  for (unsigned seed = 0; seed < test::scaled_of_one_thread(60u, 4'000u); ++seed) {
    CAPTURE(seed);
    REQUIRE(modelled_program(seed, false).run(200) == "");
  }
}

TEST_CASE("conflicting tasks are ordered with horizons and epochs by any policy, over many seeds") {
  std::size_t horizons = 0;
  for (unsigned seed = 0; seed < test::scaled_of_one_thread(150u, 10'000u); ++seed) {
    CAPTURE(seed);
    modelled_program p(seed, true);
    REQUIRE(p.run(250) == "");
    horizons += p.horizons();
  }
  CHECK(horizons > 1'000);
}

TEST_CASE("with horizons a task follows as few however many steps there were, without them ever more") {
  // Step t writes row t from all rows before: a buffer that grows, as in the paper's radiosity.
  const box rows({0, 0}, {2'000, 16});
  const auto program = [&](buffer_id b) {
    return [=](int t) {
      std::vector<std::tuple<buffer_id, mode, box>> uses{{b, mode::write, box({t, 0}, {t + 1, 16})}};
      if (t > 0) uses.push_back({b, mode::read, box({0, 0}, {t, 16})});
      return using_boxes(uses, rows);
    };
  };
  task_graph without(never);
  const auto growing = followed_by_steps(without, 100, program(without.add(buffer{.elements = rows, .name = {}})));
  CHECK(growing[99] >= 99);
  CHECK(without.remembered() == 101);

  for (const std::uint64_t step : {1u, 2u, 4u}) {
    CAPTURE(step);
    task_graph g({.step = step, .most_parallel = 0});
    const auto next = program(g.add(buffer{.elements = rows, .name = {}}));
    std::size_t most_remembered = 0;
    const auto counts = followed_by_steps(g, 1'000, [&](int t) {
      most_remembered = std::max(most_remembered, g.remembered());
      return next(t);
    });
    CHECK(*std::max_element(counts.begin(), counts.end()) <= 2 * step + 2);
    CHECK(std::equal(counts.end() - 400, counts.end(), counts.end() - 460));  // in a circle whose length divides 60
    CHECK(most_remembered <= 2 * step + 3);
  }
}

TEST_CASE("many tasks without successors cause a horizon, too") {
  const box all(0, 10'000);
  task_graph g({.step = 0, .most_parallel = 8});
  const buffer_id b = g.add(buffer{.elements = all, .name = {}});
  std::size_t most_remembered = 0;
  int horizons = 0;
  for (int t = 0; t < 1'000; ++t) {
    CHECK(g.add(using_boxes({{b, mode::write, box(t, t + 1)}}, all)).follows.size() == 1);
    horizons += g.add_horizon().has_value();
    most_remembered = std::max(most_remembered, g.remembered());
  }
  CHECK(horizons == 1'000 / 7);  // a horizon is one of the eight, from the second on
  CHECK(most_remembered <= 18);
}
