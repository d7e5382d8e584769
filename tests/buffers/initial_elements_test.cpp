// Buffers with initial elements from a function or another buffer; and memory that is freed with the last handle.
#include <stretto/buffer.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "buffers/buffers_state.hpp"
#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

template <class Body>
void on_nodes_for_beginnings(std::uint32_t nodes, const std::string& devices, Body&& body) {
  const test::with_variable memory("STRETTO_DEVICE_MEMORY", "8M");
  INFO(nodes << " nodes with " << devices);
  test::on_nodes_of(simulated_job({.nodes = nodes, .seed = nodes}), {.workers = 1, .devices = devices},
                    [&](runtime&) { body(); });
}

TEST_CASE("a buffer that begins from a function has what it gives, each element computed on one node alone") {
  for (const std::uint32_t nodes : {1u, 2u, 4u})
    for (const char* devices : {"none", "sim:2"}) {
      std::atomic<int> calls = 0;
      on_nodes_for_beginnings(nodes, devices, [&] {
        const box where({-3, 2, 0}, {4, 7, 3});
        const buffer<double, 3> u(where,
                                  [&calls](coordinate i, coordinate j, coordinate k) {
                                    ++calls;
                                    return static_cast<double>(100 * i + 10 * j + k);
                                  },
                                  {.name = "u"});
        const buffer<int, 1> v(box(5, 9), [](coordinate i) { return static_cast<int>(i * i); });
        const buffer<int, 2> none(box(), [](coordinate, coordinate) { return 1; });
        const auto seen = u.read().get();
        int wrong = 0;
        for (int i = -3; i < 4; ++i)
          for (int j = 2; j < 7; ++j)
            for (int k = 0; k < 3; ++k) wrong += seen.view()(i, j, k) != 100 * i + 10 * j + k;
        CHECK(wrong == 0);
        CHECK(v.read().get().view()(8) == 64);
        CHECK(none.elements().is_empty());
      });
      CHECK(calls == 7 * 5 * 3);
    }
}

TEST_CASE("a failing initial function of a buffer fails all readers of its elements, on all nodes") {
  on_nodes_for_beginnings(3, "none", [] {
    const buffer<int> u(box(0, 9), [](coordinate i) { return i == 8 ? throw std::runtime_error("no such star") : 1; });
    CHECK(test::thrown_by([&] { (void)u.read().get(); }).find("no such star") != std::string::npos);
  });
}

template <class T>
void resizes(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto number = [&](int least, int most) {
    return std::uniform_int_distribution<coordinate>(least, most)(random);
  };
  const auto some_box = [&] {
    const point min(number(-4, 4), number(-4, 4));
    return box({min[0], min[1]}, {min[0] + number(1, 12), min[1] + number(1, 12)});
  };
  const auto value = [](coordinate i, coordinate j) {
    T x{};
    std::memset(&x, static_cast<int>((7 * i + 3 * j) & 127), sizeof x);
    return x;
  };
  const box first = some_box();
  buffer<T, 2> u(first, value, {.name = "u"});
  box known = first;
  for (int n = 0; n < 4; ++n) {
    const box next = some_box();
    u = u.resized(next);
    CHECK(u.elements() == next);
    known = intersection(known, next);
  }
  if (known.is_empty()) return;
  const auto seen = u.read(known).get();
  int wrong = 0;
  for (auto i = known.min()[0]; i < known.max()[0]; ++i)
    for (auto j = known.min()[1]; j < known.max()[1]; ++j) {
      const T x = value(i, j);
      wrong += std::memcmp(&seen.view()(i, j), &x, sizeof x) != 0;
    }
  CHECK(wrong == 0);
}

struct twelve_bytes {
  std::array<unsigned char, 12> is;
};

TEST_CASE("a buffer that is resized keeps the elements that both have, whatever its element type, nodes and devices") {
  const std::uint32_t rounds = test::scaled(12, 400);
  for (std::uint32_t seed = 0; seed < rounds; ++seed) {
    CAPTURE(seed);
    const char* const kinds[] = {"none", "sim", "sim:2"};
    on_nodes_for_beginnings(seed % 3 + 1, kinds[seed / 3 % 3], [&] {
      resizes<unsigned char>(seed);
      resizes<short>(seed + 1);
      resizes<float>(seed + 2);
      resizes<double>(seed + 3);
      resizes<twelve_bytes>(seed + 4);
    });
  }
}

TEST_CASE("elements that a resized buffer has and the old one had not are unwritten, and the old one stays as it is") {
  runtime rt({.workers = 1});
  rt.run([] {
    std::vector<std::string> told;
    const auto& s = buffers::state_of(*base::current()->runtime);
    s->warnings.to([&](const std::string& text) { told.push_back(text); });
    const buffer<int> u(box(0, 4), [](coordinate i) { return static_cast<int>(i); }, {.name = "u"});
    const buffer<int> v = u.resized(box(2, 8));
    CHECK(v.read(box(2, 4)).get().view()(3) == 3);
    CHECK(u.read().get().view()(0) == 0);
    CHECK(told.empty());
    (void)v.read().get();
    REQUIRE(told.size() == 1);
    CHECK(told[0].find("reads elements " + box(4, 8).text()) != std::string::npos);
    CHECK(told[0].find("\"u\"") != std::string::npos);
    const buffer<int> w = v.resized(box(0, 6));
    CHECK(w.read(box(2, 4)).get().view()(3) == 3);
    CHECK(told.size() == 1);
    (void)w.read().get();
    CHECK(told.size() == 2);
    CHECK(u.resized(box(10, 20)).elements() == box(10, 20));
    CHECK(test::error_of([] { (void)buffer<int>().resized(box(0, 1)); }).code() == "B07");
  });
}

STRETTO_KERNEL(add_one_to_all, (inout<float, 1> x), { x(global_id(0)) += 1; })

TEST_CASE(
    "buffers that go out of scope while launches on them are pending give their memory back: many fit one after "
    "another") {
  // Each buffer is half of the memory of a device; all together are many times that.
  const test::with_variable memory("STRETTO_DEVICE_MEMORY", "8M");
  test::on_nodes_of(simulated_job({.nodes = 2, .seed = 2}), {.workers = 1, .devices = "sim"}, [](runtime&) {
    std::vector<float> zeros(1);
    buffer<float> sum(box(0, 1), zeros.data());
    for (int i = 0; i < 24; ++i) {
      buffer<float> scratch(box(0, 1 << 20));  // 4 MiB, 2 on each node
      host_task(
          scratch.elements(),
          [](const box& part, view<float> x) {
            for (auto at = part.min()[0]; at < part.max()[0]; ++at) x(at) = 0;
          },
          scratch.out(one_to_one));
      launch(add_one_to_all, scratch.elements(), scratch(one_to_one));
      host_task(
          on_one_node, [](view<const float> x, view<float> sum) { sum(0) += x(1000); },
          scratch.in(mappers::fixed{box(1000, 1001)}), sum.inout(all));
    }
    CHECK(sum.read().get().view()(0) == 24);
  });
}

}  // namespace
}  // namespace stretto
