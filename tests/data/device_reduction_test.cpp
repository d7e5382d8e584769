// Reductions in device memory: kernels contribute there, and the result is applied in any memory. On all kinds of
// devices here.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/launch.hpp>
#include <stretto/platform.hpp>
#include <stretto/recorded_data.hpp>
#include <stretto/recorded_launch.hpp>
#include <stretto/reduce.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "thrown_by.hpp"
#include "usable_devices.hpp"
#include "with_variable.hpp"

namespace stretto::reductions_on_devices {
namespace {

STRETTO_DEVICE_STRUCT(spotted, {
  int value;
  int at;
})
STRETTO_DEVICE_FUNCTION(spotted, smaller_spotted, (spotted a, spotted b),
                        { return b.value < a.value || (b.value == a.value && b.at < a.at) ? b : a; })
STRETTO_DEVICE_OPERATOR(smallest_spotted, spotted, smaller_spotted, {2147483647, 2147483647})

STRETTO_KERNEL(contributes,
               (in<int> x, reduce<sum<int>, 2> count, reduce<maximum<int>> most, reduce<smallest_spotted> least), {
                 int i = global_id(0);
                 int v = x(i);
                 count(v % 4 + 1, v % 3) << v;
                 most(5) << v;
                 spotted here = {v, i};
                 least(0) << here;
               })

/// An operator that no device knows.
struct longest {
  using lhs_type = int;
  using rhs_type = int;
  static int identity() { return 0; }
  static void apply(int& l, const int& r) { l = std::max(l, r); }
  static void fold(int& l, const int& r) { l = std::max(l, r); }
};

constexpr int elements = 500;

struct site {
  place ram;
  std::vector<place> memories;
};

template <class Body>
void on_devices(Body&& body) {
  static const std::vector<std::string> kinds =
      test::usable_devices({"sim", "sim:2", "opencl:1"}, "reductions on devices");
  for (const std::string& kind : kinds)
    for (const unsigned workers : {1u, 3u}) {
      INFO(kind << ", " << workers << " workers");
      const test::with_variable room("STRETTO_DEVICE_MEMORY", "16M");
      runtime rt({.workers = workers, .devices = kind});
      rt.run([&] { body(site{rt.machine().memories()[0], rt.machine().places(place_kind::gpu_memory)}); });
    }
}

std::vector<int> numbers(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> all(elements);
  for (int& v : all) v = static_cast<int>(random() % 1000);
  return all;
}

instance<int> on_device(const std::vector<int>& values, place memory) {
  auto x = instance<int>::create(at(memory), {0, elements}).made;
  const auto given = instance<int>::external(const_cast<int*>(values.data()), {0, elements});
  wait(copy(given, x));
  given.destroy();
  return x;
}

/// The expected results for `values`, in the same types.
struct tally {
  int count[4][3] = {};
  int most = std::numeric_limits<int>::lowest();
  spotted least = smallest_spotted::identity();

  void add(const std::vector<int>& values) {
    for (int i = 0; i < elements; ++i) {
      const int v = values[static_cast<std::size_t>(i)];
      count[v % 4][v % 3] += v;
      most = std::max(most, v);
      smallest_spotted::fold(least, {v, i});
    }
  }
};

const box counted({1, 0}, {5, 3});

/// The reductions of one place, and instances to which they are applied, which begin at 1000, 0 and the largest value.
struct reductions {
  explicit reductions(place memory)
      : count(reduction_instance<sum<int>, 2>::create(at(memory), counted, {.name = "count"})),
        most(reduction_instance<maximum<int>>::create(at(memory), {5, 6}, {.name = "most"})),
        least(reduction_instance<smallest_spotted>::create(at(memory), {0, 1}, {.name = "least"})) {}
  event contribute(const instance<int>& x, event behind = {}) const {
    return launch(after(behind), contributes, box(0, elements), x, count, most, least);
  }
  void destroy() const { wait(count.destroy()), wait(most.destroy()), wait(least.destroy()); }

  reduction_instance<sum<int>, 2> count;
  reduction_instance<maximum<int>> most;
  reduction_instance<smallest_spotted> least;
};

struct targets {
  explicit targets(place memory)
      : count(instance<int, 2>::create(at(memory), {{0, 0}, {6, 4}}).made),
        most(instance<int>::create(at(memory), {0, 8}).made),
        least(instance<spotted>::create(at(memory), {0, 1}).made) {
    wait(fill(count, 1000)), wait(fill(most, 0)), wait(fill(least, smallest_spotted::identity()));
  }
  event apply(const reductions& from, event behind = {}) const {
    return merge({reduce(from.count, count, after(behind)), reduce(from.most, most, after(behind)),
                  reduce(from.least, least, after(behind))});
  }
  void check(const tally& t, place ram) const {
    const auto c = instance<int, 2>::create(at(ram), {{0, 0}, {6, 4}}).made;
    const auto m = instance<int>::create(at(ram), {0, 8}).made;
    const auto l = instance<spotted>::create(at(ram), {0, 1}).made;
    wait(copy(count, c)), wait(copy(most, m)), wait(copy(least, l));
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 4; ++j) {
        const bool is_counted = i >= 1 && i < 5 && j < 3;
        CHECK(c.view()(i, j) == 1000 + (is_counted ? t.count[i - 1][j] : 0));
      }
    for (int i = 0; i < 8; ++i) CHECK(m.view()(i) == (i == 5 ? std::max(t.most, 0) : 0));
    CHECK(l.view()(0).value == t.least.value);
    CHECK(l.view()(0).at == t.least.at);
    c.destroy(), m.destroy(), l.destroy();
  }
  void destroy() const { count.destroy(), most.destroy(), least.destroy(); }

  instance<int, 2> count;
  instance<int> most;
  instance<spotted> least;
};

TEST_CASE("kernels on a device contribute to its reductions, which are applied in any memory, and cleared") {
  on_devices([](const site& s) {
    const auto first = numbers(1), second = numbers(2), third = numbers(3);
    const place memory = s.memories.front();
    const auto x = on_device(first, memory), y = on_device(second, memory), z = on_device(third, memory);
    const reductions held(memory);
    std::vector<place> to{s.ram};
    to.insert(to.end(), s.memories.begin(), s.memories.end());
    const event both = merge(held.contribute(x), held.contribute(y));
    tally t;
    t.add(first), t.add(second);
    for (const place where : to) {
      const targets there(where);
      wait(there.apply(held, both));
      there.check(t, s.ram);
      there.destroy();
    }
    wait(clear(held.count, after(both))), wait(clear(held.most)), wait(clear(held.least));
    const event again = held.contribute(z);
    tally of_third;
    of_third.add(third);
    const targets there(to.back());
    wait(there.apply(held, again));
    there.check(of_third, s.ram);
    there.destroy(), held.destroy(), x.destroy(), y.destroy(), z.destroy();
  });
}

TEST_CASE("nothing contributed is nothing applied, and reductions on devices give their memory back") {
  on_devices([](const site& s) {
    const place memory = s.memories.front();
    const auto free_before = usage_of(memory).free;
    const reductions held(memory);
    CHECK(usage_of(memory).free < free_before);
    const targets there(s.ram);
    wait(there.apply(held));
    const tally none{.most = 0};
    there.check(none, s.ram);
    there.destroy(), held.destroy();
    const reductions unused(memory);  // its identities may be under way
    unused.destroy();
    CHECK(usage_of(memory).free == free_before);
  });
}

TEST_CASE("contributions go from reduction to reduction, whether on the host or on devices") {
  on_devices([](const site& s) {
    const auto first = numbers(4), second = numbers(5);
    std::vector<place> all{s.ram};
    all.insert(all.end(), s.memories.begin(), s.memories.end());
    for (const place from : all)
      for (const place to : all) {
        CAPTURE(from.index);
        CAPTURE(to.index);
        const auto x = on_device(first, from), y = on_device(second, to);
        const reductions source(from), target(to);
        const event contributed = merge(source.contribute(x), target.contribute(y));
        wait(fold_into(source.count, target.count, detail::any_contributor, after(contributed)));
        wait(fold_into(source.most, target.most, 3, after(contributed)));
        wait(fold_into(source.least, target.least, detail::any_contributor, after(contributed)));
        const targets there(s.ram);
        wait(there.apply(target));
        tally t;
        t.add(first), t.add(second);
        there.check(t, s.ram);
        there.destroy(), source.destroy(), target.destroy(), x.destroy(), y.destroy();
      }
  });
}

TEST_CASE("arrays are combined in whatever memories they are, in parts too") {
  on_devices([](const site& s) {
    const auto values = numbers(6);
    std::vector<place> all{s.ram};
    all.insert(all.end(), s.memories.begin(), s.memories.end());
    for (const place from : all)
      for (const place to : all) {
        const auto x = on_device(values, from);
        const auto y = instance<int>::create(at(to), {0, elements}).made,
                   longest_so_far = instance<int>::create(at(to), {0, elements}).made;
        const event begun = merge(fill(y, 7), fill(longest_so_far, 500));
        const event some = reduce<sum<int>>(x, y, box(10, 20), after(begun));
        wait(reduce<sum<int>>(x, y, box(15, elements), after(some)));
        wait(reduce<longest>(x, longest_so_far, after(begun)));  // an operator that devices do not have
        const auto got = instance<int>::create(at(s.ram), {0, elements}).made,
                   got_longest = instance<int>::create(at(s.ram), {0, elements}).made;
        wait(copy(y, got)), wait(copy(longest_so_far, got_longest));
        for (int i = 0; i < elements; ++i) {
          const int v = values[static_cast<std::size_t>(i)];
          CHECK(got.view()(i) == 7 + (i < 10 ? 0 : i >= 15 && i < 20 ? 2 * v : v));
          CHECK(got_longest.view()(i) == std::max(500, v));
        }
        x.destroy(), y.destroy(), longest_so_far.destroy(), got.destroy(), got_longest.destroy();
      }
  });
}

TEST_CASE("a recorded graph contributes, applies and clears on a device, each time that it is replayed") {
  on_devices([](const site& s) {
    const auto values = numbers(7);
    const place memory = s.memories.front();
    const auto x = on_device(values, memory);
    const reductions held(memory), more(s.ram);
    const targets there(s.memories.back());
    recorded_graph<> g;
    const auto contributed = launch(g, contributes, box(0, elements), x, held.count, held.most, held.least);
    const auto applied = reduce(g, held.count, there.count, after(contributed));
    const auto applied_most = reduce(g, held.most, there.most, after(contributed));
    const auto folded = fold_into(g, held.least, more.least, detail::any_contributor, after(contributed));
    clear(g, held.count, after(applied)), clear(g, held.most, after(applied_most)), clear(g, held.least, after(folded));
    constexpr int replays = 3;
    for (int i = 0; i < replays; ++i) wait(g.replay());
    wait(reduce(more.least, there.least));
    tally t;
    for (int i = 0; i < replays; ++i) t.add(values);
    there.check(t, s.ram);
    there.destroy(), held.destroy(), more.destroy(), x.destroy();
  });
}

TEST_CASE("a reduction that a device does not support is refused in the call") {
  const test::with_variable room("STRETTO_DEVICE_MEMORY", "1M");
  runtime rt({.workers = 1, .devices = "sim"});
  rt.run([&] {
    using test::error_of;
    const place memory = rt.machine().places(place_kind::gpu_memory).front();
    const auto r = reduction_instance<sum<int>>::create(at(memory), {0, 8}, {.name = "r"});
    CHECK(error_of([&] { r.contribute(); }).code() == "D15");
    CHECK(test::thrown_by([&] { r.contribute(); }).find("reduce<...>") != std::string::npos);
    CHECK(error_of([&] { reduction_instance<longest>::create(at(memory), {0, 8}); }).code() == "D05");
    CHECK(error_of([&] {
            reduction_instance<sum<int>>::create(at(memory), {0, 8}, {.style = reduction_style::list});
          }).code() == "D05");
    const auto large = test::thrown_by([&] { reduction_instance<sum<int>>::create(at(memory), {0, 1 << 20}); });
    CHECK(large.find("error D16") == 0);
    CHECK(large.find("4194304 bytes") != std::string::npos);
    wait(r.destroy());
    const auto x = instance<int>::create(at(memory), {0, 8}).made;
    const auto count = reduction_instance<sum<int>, 2>::create(at(memory), counted);
    const auto most = reduction_instance<maximum<int>>::create(at(memory), {5, 6});
    const auto least =
        reduction_instance<smallest_spotted>::create(at(rt.machine().memories().front()), {0, 1}, {.name = "least"});
    const auto apart = test::thrown_by([&] { launch(contributes, box(0, 8), x, count, most, least); });
    CHECK(apart.find("error K28") == 0);
    CHECK(apart.find("\"least\"") != std::string::npos);
    wait(count.destroy());
    CHECK(error_of([&] { launch(contributes, box(0, 8), x, count, most, least); }).code() == "D01");
    most.destroy(), least.destroy(), x.destroy();
  });
}

TEST_CASE("reductions into one instance that nothing orders lose nothing, wherever both lie") {
  on_devices([](const site& s) {
    constexpr int times = 20;
    std::vector<place> memories{s.ram};
    memories.insert(memories.end(), s.memories.begin(), s.memories.end());
    for (const place to_memory : memories)
      for (const place from_memory : memories) {
        const auto to = on_device(std::vector<int>(elements, 0), to_memory),
                   from = on_device(std::vector<int>(elements, 1), from_memory);
        const auto seen = instance<int>::create(at(s.ram), {0, elements}).made,
                   here = instance<int>::create(at(s.ram), {0, elements}).made;
        wait(fill(here, 1));
        finish([&] {
          for (int task = 0; task < 3; ++task)
            async([&, task] {
              std::vector<event> all;
              for (int i = 0; i < times; ++i)
                all.push_back(task == 2 ? reduce<sum<int>>(here, to) : reduce<sum<int>>(from, to));
              wait(merge(all));
            });
        });
        wait(copy(to, seen));
        int wrong = 0;
        for (int i = 0; i < elements; ++i) wrong += seen.view()(i) != 3 * times;
        CHECK(wrong == 0);
        for (const auto& u : {to, from, seen, here}) wait(u.destroy());
      }
  });
}

}  // namespace
}  // namespace stretto::reductions_on_devices
