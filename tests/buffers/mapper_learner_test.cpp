// STRETTO_CHECK=learn: reports the use of kernels next to what mappers name.
#include <stretto/buffer.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "buffers/buffers_state.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(learn_start, (out<float, 2> u), { u(global_id(0), global_id(1)) = global_id(0) * 3 + global_id(1); })
STRETTO_KERNEL(learn_spread, (in<float, 2> u, out<float, 2> v, in<float> w), {
  const int i = global_id(0);
  const int j = global_id(1);
  float s = w(0) * u(i, j);
  if (i > 0) s += u(i - 1, j);
  if (i < 31) s += u(i + 1, j);
  if (j > 0) s += u(i, j - 1);
  v(i, j) = s;
})

TEST_CASE("a program in learn mode computes right results, and reports a mapper for each argument") {
  const test::with_variable learn("STRETTO_CHECK", "learn");
  std::vector<std::string> told;
  {
    runtime rt({.workers = 2});
    rt.run([&] {
      const auto& s = buffers::state_of(*base::current()->runtime);
      s->warn = [&](const std::string& text) { told.push_back(text); };
      const box whole({0, 0}, {32, 24});
      const std::vector<float> one{2, 5};
      buffer<float, 2> u(whole, {.name = "u"}), v(whole, {.name = "v"});
      buffer<float> w(box(0, 2), one.data(), {.name = "w"});
      launch(learn_start, whole, u(one_to_one));
      launch(learn_spread, whole, u(one_to_one), v(neighborhood(1)), w(all));
      const auto seen = v.read().get();
      int wrong = 0;
      for (int i = 0; i < 32; ++i)
        for (int j = 0; j < 24; ++j) {
          const auto at = [](int i, int j) { return static_cast<float>(i * 3 + j); };
          const float expected =
              2 * at(i, j) + (i > 0 ? at(i - 1, j) : 0) + (i < 31 ? at(i + 1, j) : 0) + (j > 0 ? at(i, j - 1) : 0);
          wrong += seen.view()(i, j) != expected;
        }
      CHECK(wrong == 0);
    });
  }
  REQUIRE(told.size() == 2);
  CHECK(told[0].find("\"learn_start\" launched at mapper_learner_test.cpp:") == 0);
  CHECK(told[0].find("u = buffer B0 \"u\"  one_to_one: right") != std::string::npos);
  CHECK_MESSAGE(
      told[1].find(
          "u = buffer B0 \"u\"  one_to_one: names too little: [0,16)x[0,12) uses [0,17)x[0,12); write star(1)") !=
          std::string::npos,
      told[1]);
  CHECK_MESSAGE(told[1].find("v = buffer B1 \"v\"  neighborhood(1): names 884 elements where one_to_one names 768") !=
                    std::string::npos,
                told[1]);
  CHECK_MESSAGE(
      told[1].find("w = buffer B2 \"w\"  all: names 8 elements where fixed(box(0, 1)) names 4") != std::string::npos,
      told[1]);
}

STRETTO_KERNEL(learn_start_line, (out<float> h), { h(global_id(0)) = global_id(0); })
STRETTO_KERNEL(learn_look, (in<float> h, inout<float> v, int step), { v(global_id(0)) += h(step); })

TEST_CASE(
    "a mapper that is another one in each step is compared with what its own step uses, and nothing is called "
    "unwritten") {
  const test::with_variable learn("STRETTO_CHECK", "learn");
  std::vector<std::string> told;
  {
    runtime rt({.workers = 1});
    rt.run([&] {
      const auto& s = buffers::state_of(*base::current()->runtime);
      s->warn = [&](const std::string& text) { told.push_back(text); };
      s->warnings.to([&](const std::string& text) { told.push_back(text); });
      const box whole(0, 16);
      buffer<float> history(whole, {.name = "history"});  // half of it is never written
      const std::vector<float> zero(16);
      buffer<float> v(whole, zero.data(), {.name = "v"});
      launch(learn_start_line, box(0, 8), history(one_to_one));
      for (int step = 0; step < 4; ++step)
        launch(learn_look, whole, history(fixed(box(step, step + 1))), v(one_to_one), step);
      CHECK(v.read().get().view()(5) == 0 + 1 + 2 + 3);
    });
  }
  REQUIRE(told.size() == 2);
  CHECK_MESSAGE(told[1].find("h = buffer B0 \"history\"  mappers that change: right") != std::string::npos, told[1]);
  CHECK_MESSAGE(told[1].find("v = buffer B1 \"v\"  one_to_one: right") != std::string::npos, told[1]);
}

STRETTO_KERNEL(learn_start_ring, (out<float> u), { u(global_id(0)) = global_id(0); })
STRETTO_KERNEL(learn_ring, (in<float> u, out<float> v),
               { v(global_id(0)) = u((global_id(0) + 31) % 32) + u((global_id(0) + 1) % 32); })
STRETTO_KERNEL(learn_opposite, (in<float> u, out<float> v), { v(global_id(0)) = u(31 - global_id(0)); })
STRETTO_KERNEL(learn_far, (in<float> u, out<float> v),
               { v(global_id(0)) = u(global_id(0)) + (global_id(0) + 20 < 32 ? u(global_id(0) + 20) : 0); })
STRETTO_KERNEL(learn_scattered, (in<float> u, out<float> v),
               { v(global_id(0)) = u(global_id(0) * global_id(0) * 7 % 29); })
STRETTO_KERNEL(learn_cube, (out<float, 3> u), { u(global_id(0), global_id(1), global_id(2)) = 1; })
STRETTO_KERNEL(learn_turned, (in<float, 3> u, out<float, 3> v),
               { v(global_id(0), global_id(1), global_id(2)) = u(global_id(2), global_id(0), global_id(1)); })

TEST_CASE("rings, axes in another order and lists of boxes are proposed where these are used") {
  std::vector<std::string> told;
  {
    const test::with_variable learn("STRETTO_CHECK", "learn");
    runtime rt({.workers = 1});
    rt.run([&] {
      buffers::state_of(*base::current()->runtime)->warn = [&](const std::string& text) { told.push_back(text); };
      const box line(0, 32), cube({0, 0, 0}, {8, 8, 8});
      buffer<float> u(line), v(line);
      buffer<float, 3> a(cube), b(cube);
      launch(learn_start_ring, line, u(one_to_one));
      launch(learn_ring, line, u(neighborhood(1)), v(one_to_one));
      launch(learn_ring, line, u(wrapped(1)), v(one_to_one));
      launch(learn_opposite, line, u(all), v(one_to_one));
      launch(learn_opposite, line, u([](const box& part) { return box(32 - part.max()[0], 32 - part.min()[0]); }),
             v(one_to_one));
      launch(learn_far, line, u(one_to_one), v(one_to_one));
      // The mappers as proposed.
      launch(learn_far, line, u([](const box& part, const box& all) {
               return std::vector{intersection(box(part.min()[0], part.max()[0]), all),
                                  intersection(box(part.min()[0] + 20, part.max()[0] + 20), all)};
             }),
             v(one_to_one));
      launch(learn_scattered, line, u(all), v(one_to_one));
      launch(learn_cube, cube, a(one_to_one));
      launch(learn_turned, cube, a(all), b(one_to_one));
      launch(learn_turned, cube, a(transposed_by(2, 0, 1)), b(one_to_one));
      wait(epoch());
    });
  }
  const std::vector<std::string> expected{
      "neighborhood(1): names too little: [0,8) uses [0,9) + [31,32); write wrapped(1)",
      "wrapped(1): right",
      "all: names 128 elements where [](const box& part) { return box(32 - part.max()[0], 32 - part.min()[0]); } names "
      "32",
      "a function: right",
      "one_to_one: names too little: [0,8) uses [0,8) + [20,28); write [](const box& part, const box& all) { return "
      "std::vector{intersection(box(part.min()[0], part.max()[0]), all), intersection(box(part.min()[0] + 20, "
      "part.max()[0] + 20), all)}; }",
      "a function: right",
      "all: names 128 elements where fixed(box(0, 29)) names 116, but no named mapper fits: of 116 elements 29 are "
      "used\n      [0,8) uses [0,2) + ",
      "u = buffer B2  one_to_one: right",
      "all: names 2048 elements where transposed_by(2, 0, 1) names 512",
      "transposed_by(2, 0, 1): right"};
  REQUIRE(told.size() == expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK_MESSAGE(told[i + 1].find(expected[i]) != std::string::npos, told[i + 1]);
  CHECK_MESSAGE(told[7].find("\n      [8,16) uses [") != std::string::npos, told[7]);
}

}  // namespace
}  // namespace stretto
