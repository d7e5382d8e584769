// Random programs over instances of all nodes of a job, stepped from a seed, compared with arrays of one process.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/platform.hpp>
#include <stretto/reduce.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "campaign.hpp"

namespace stretto {
namespace {

using cells = instance<std::uint32_t, 2>;

/// An instance, and its expected elements once `last` has ended.
struct modelled {
  cells is;
  std::uint32_t node = 0;
  box elements;
  std::vector<std::uint32_t> values;
  event last;

  std::uint32_t& at(coordinate i, coordinate j) {
    return values[static_cast<std::size_t>((i - elements.min()[0]) * elements.length(1) + j - elements.min()[1])];
  }
};

class program {
 public:
  explicit program(std::uint64_t seed) : random_(seed), job_(network_of(seed)) {
    const bool checked = random_() % 4 == 0;
    setenv("STRETTO_CHECK", checked ? "1" : "0", 1);
    // Each node has no devices, or devices of which some import one another's memory.
    constexpr const char* kinds[] = {"none", "sim:1(exports)", "sim:2(exports,shared_bus)", "sim:1"};
    has_devices_ = random_() % 2;
    for (std::uint32_t n = 0; n < job_.nodes(); ++n)
      all_.push_back(std::make_unique<runtime>(runtime_options{.workers = 1 + n % 2,
                                                               .seed = seed,
                                                               .devices = kinds[has_devices_ ? random_() % 4 : 0],
                                                               .stepped = true,
                                                               .job = job_.endpoint(n)}));
    unsetenv("STRETTO_CHECK");
    dead_.assign(job_.nodes(), false);
  }

  void run(int operations, bool with_death) {
    for (int i = 0; i < 4; ++i) create();
    for (int i = 0; i < operations; ++i) {
      operate();
      for (std::uint64_t s = random_() % 30; s-- > 0;) step();
      if (with_death && i == operations / 2 && job_.nodes() > 1) {
        const auto victim = static_cast<std::uint32_t>(random_() % job_.nodes());
        job_.kill(victim);
        dead_[victim] = true;
      }
    }
  }

  /// Every event ends; if no node has died, every element has its expected value.
  void check(bool with_death) {
    for (modelled& m : made_) {
      const std::uint32_t here = living();
      const auto has_ended = [&](event e) {
        const attached_thread on(*all_[here]);
        return e.has_triggered();
      };
      if (with_death) {
        until([&] { return has_ended(m.last); });
        continue;
      }
      cells mine;
      event copied;
      {
        const attached_thread on(*all_[here]);
        mine = cells::create(at_node(here), m.elements).made;
        copied = copy(m.is, mine, after(m.last));
      }
      until([&] { return has_ended(copied); });
      const attached_thread on(*all_[here]);
      CHECK(copied.result().ok());
      if (!copied.result().ok()) continue;
      const auto v = mine.view();
      int wrong = 0;
      for (coordinate i = m.elements.min()[0]; i < m.elements.max()[0]; ++i)
        for (coordinate j = m.elements.min()[1]; j < m.elements.max()[1]; ++j) wrong += v(i, j) != m.at(i, j);
      CHECK(wrong == 0);
      mine.destroy();
      issued_.emplace_back(here, m.is.destroy(after(copied)));
    }
    end();
  }
  ~program() {
    if (all_.empty()) return;  // a failed test must not hang
    for (std::uint32_t n = 0; n < job_.nodes(); ++n) job_.kill(n);
    end();
  }

 private:
  /// Also on dead nodes, to which all others are lost.
  void end() {
    for (auto& rt : all_) rt->leave();
    until([&] { return std::ranges::all_of(all_, [](const auto& rt) { return rt->is_job_over(); }); });
    for (const auto& [node, e] : issued_) {  // observe failures, so that the runtimes do not report them
      const attached_thread on(*all_[node]);
      CHECK(e.has_triggered());
      static_cast<void>(e.result());
    }
    all_.clear();
  }

  static simulated_network network_of(std::uint64_t seed) {
    std::mt19937_64 random(seed * 77);
    return {.nodes = static_cast<std::uint32_t>(1 + random() % (seed % 20 ? 6 : 64)),
            .seed = seed,
            .jitter_seconds = random() % 2 ? 1e-6 : 1e-4};
  }

  coordinate number(coordinate from, coordinate to) {
    return from + static_cast<coordinate>(random_() % static_cast<std::uint64_t>(to - from));
  }
  box some_box(const box& within) {
    point min, max;
    for (int a = 0; a < 2; ++a) {
      min[a] = number(within.min()[a], within.max()[a]);
      max[a] = number(min[a], within.max()[a]) + 1;
    }
    max[2] = 1;
    return box::between(min, max);
  }
  std::uint32_t living() {
    std::uint32_t n = 0;
    do n = static_cast<std::uint32_t>(random_() % job_.nodes());
    while (dead_[n]);
    return n;
  }
  void step() { all_[random_() % all_.size()]->step(); }
  template <class F>
  void until(F&& is_so) {
    for (std::uint64_t i = 0; !is_so(); ++i) {
      REQUIRE(i < 5'000'000);
      step();
    }
  }

  void create() {
    modelled m;
    const coordinate i = number(-3, 4), j = number(-3, 4);
    m.elements = box{{i, j}, {i + number(1, 12), j + number(1, 12)}};
    m.values.assign(m.elements.volume(), 0);
    m.node = static_cast<std::uint32_t>(random_() % job_.nodes());
    const std::uint32_t here = living();
    const attached_thread on(*all_[here]);
    const std::vector<std::int64_t> gaps{40, 2};
    instance_options how;
    if (random_() % 3 == 0) how.strides = gaps;
    if (random_() % 3 == 0) how.order = axis_order::fortran;
    const auto memories = all_[m.node]->machine().places(place_kind::gpu_memory);
    const bool on_device = !memories.empty() && random_() % 4;
    const auto made = on_device
                          ? cells::create(at_node(m.node), at(memories[random_() % memories.size()]), m.elements, how)
                          : cells::create(at_node(m.node), m.elements, how);
    m.is = made.made;
    m.last = fill(m.is, 0u);  // runs after the creation without a precondition
    issued_.insert(issued_.end(), {{here, made.ready}, {here, m.last}});
    made_.push_back(std::move(m));
  }

  void operate() {
    modelled& to = made_[random_() % made_.size()];
    modelled& from = made_[random_() % made_.size()];
    const auto value = static_cast<std::uint32_t>(random_());
    const std::uint64_t what = random_() % 8;
    if (what == 1 && made_.size() < 8) return create();
    const std::uint32_t here = living();
    const attached_thread on(*all_[here]);
    const auto issued = [&](event e) {
      issued_.emplace_back(here, e);
      return e;
    };
    switch (what) {
      case 0: {
        const box part = some_box(to.elements);
        to.last = issued(fill(to.is, part, value, after(to.last)));
        for_each(part, [&](coordinate i, coordinate j) { to.at(i, j) = value; });
        return;
      }
      case 2: {  // destroyed and replaced
        if (made_.size() < 3) return;
        issued(to.is.destroy(after(to.last)));
        std::swap(to, made_.back());
        made_.pop_back();
        return;
      }
      case 3: {  // a wrong operation: it fails, and nothing is written
        if (&to == &from || to.elements == from.elements) return;
        try {
          const event failed = issued(copy(from.is, to.is, after(from.last, to.last)));
          from.last = to.last = ignore_failure(failed);
        } catch (const error& e) {  // both instances are local
          CHECK(e.code() == "D06");
        }
        return;
      }
      default: break;
    }
    if (&to == &from) return;
    const box source = some_box(from.elements);
    point at_target;
    for (int a = 0; a < 2; ++a) {
      if (source.length(a) > to.elements.length(a)) return;
      at_target[a] = number(to.elements.min()[a], to.elements.max()[a] - source.length(a) + 1);
    }
    const point shift = source.min() - at_target;
    const box target = source.shifted(at_target - source.min());
    const event before = merge(from.last, to.last);
    const box common = intersection(to.elements, from.elements);
    if (random_() % 3 == 0 && !common.is_empty()) {
      if (random_() % 2) {
        const box part = some_box(common);
        to.last = from.last = issued(reduce<sum<std::uint32_t>>(from.is, to.is, part, after(before)));
        for_each(part, [&](coordinate i, coordinate j) { to.at(i, j) += from.at(i, j); });
      } else {  // row by row
        std::vector<box> rows;
        for (coordinate i = common.min()[0]; i < common.max()[0]; i += 2)
          rows.push_back(box{{i, common.min()[1]}, {i + 1, common.max()[1]}});
        to.last = from.last = issued(copy(from.is, to.is, rows, after(before)));
        for (const box& row : rows) for_each(row, [&](coordinate i, coordinate j) { to.at(i, j) = from.at(i, j); });
      }
      return;
    }
    to.last = from.last = issued(copy(from.is, source, to.is, at_target, after(before)));
    for_each(target, [&](coordinate i, coordinate j) { to.at(i, j) = from.at(i + shift[0], j + shift[1]); });
  }

  template <class F>
  static void for_each(const box& b, F&& f) {
    for (coordinate i = b.min()[0]; i < b.max()[0]; ++i)
      for (coordinate j = b.min()[1]; j < b.max()[1]; ++j) f(i, j);
  }

  std::mt19937_64 random_;
  simulated_job job_;
  std::vector<std::unique_ptr<runtime>> all_;
  bool has_devices_ = false;
  std::vector<bool> dead_;
  std::vector<modelled> made_;
  std::vector<std::pair<std::uint32_t, event>> issued_;  // on which node
};

TEST_CASE("random programs over instances of many nodes behave like one process") {
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(40, 5'000); ++seed) {
    CAPTURE(seed);
    program p(seed);
    p.run(60, false);
    p.check(false);
  }
}

TEST_CASE("random programs over instances come to an end when a node dies") {
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(40, 5'000); ++seed) {
    CAPTURE(seed);
    program p(seed);
    p.run(60, true);
    p.check(true);
  }
}

}  // namespace
}  // namespace stretto
