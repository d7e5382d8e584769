// STRETTO_CHECK=learn: what kernels use, told at the end beside what mappers name.
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

TEST_CASE("a program that learns computes what it should, and is told the mapper of each argument") {
  const test::with_variable learn("STRETTO_CHECK", "learn");
  std::vector<std::string> told;
  {
    runtime rt({.workers = 2});
    rt.run([&] {
      const auto& s = buffers::state_of(*base::current()->runtime);
      s->tell = [&](const std::string& text) { told.push_back(text); };
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
          const float expected = 2 * at(i, j) + (i > 0 ? at(i - 1, j) : 0) + (i < 31 ? at(i + 1, j) : 0) + (j > 0 ? at(i, j - 1) : 0);
          wrong += seen.view()(i, j) != expected;
        }
      CHECK(wrong == 0);
    });
  }
  REQUIRE(told.size() == 2);
  CHECK(told[0].find("\"learn_start\" launched at learning_test.cpp:") == 0);
  CHECK(told[0].find("u = buffer B0 \"u\"  one_to_one: right") != std::string::npos);
  CHECK_MESSAGE(told[1].find("u = buffer B0 \"u\"  one_to_one: names too little: [0,16)x[0,12) uses [0,17)x[0,12); write star(1)") != std::string::npos,
                told[1]);
  CHECK_MESSAGE(told[1].find("v = buffer B1 \"v\"  neighborhood(1): names 884 elements where one_to_one names 768") != std::string::npos, told[1]);
  CHECK_MESSAGE(told[1].find("w = buffer B2 \"w\"  all: names 8 elements where fixed(box(0, 1)) names 4") != std::string::npos, told[1]);
}

STRETTO_KERNEL(learn_start_line, (out<float> h), { h(global_id(0)) = global_id(0); })
STRETTO_KERNEL(learn_look, (in<float> h, inout<float> v, int step), { v(global_id(0)) += h(step); })

TEST_CASE("a mapper that is another one in each step is compared with what its own step uses, and nothing is called unwritten") {
  const test::with_variable learn("STRETTO_CHECK", "learn");
  std::vector<std::string> told;
  {
    runtime rt({.workers = 1});
    rt.run([&] {
      const auto& s = buffers::state_of(*base::current()->runtime);
      s->tell = [&](const std::string& text) { told.push_back(text); };
      s->warnings.to([&](const std::string& text) { told.push_back(text); });
      const box whole(0, 16);
      buffer<float> history(whole, {.name = "history"});  // of which half is never written
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

}  // namespace
}  // namespace stretto
