// Short kernels: which kernels are short, and that running them inline is not observable.
#include <stretto/event.hpp>
#include <stretto/finish.hpp>
#include <stretto/kernel.hpp>
#include <stretto/object.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "objects/short_kernels.hpp"

namespace stretto {
namespace {

using objects::short_kernels;

// clang-format off
STRETTO_KERNEL(short_add, (inout<int> x, int by), { x(global_id(0)) += by; })
STRETTO_KERNEL(short_sum, (in<int> x, inout<int> y), { y(0) += x(0); })
// clang-format on

TEST_CASE("a kernel is short once it has been seen to be") {
  short_kernels all(700);
  const kernel_code &a = short_add.code(), &b = short_sum.code();
  CHECK_FALSE(all.is_short(a, 1));
  all.took(a, 1, 200);
  CHECK(all.is_short(a, 1));
  CHECK_FALSE(all.is_short(b, 1));
  CHECK_FALSE(all.is_short(a, 1000));  // other sizes are unknown
  all.took(b, 1, 701);
  CHECK_FALSE(all.is_short(b, 1));
  all.took(b, 1, 699);
  CHECK(all.is_short(b, 1));
}

TEST_CASE("one interruption makes no kernel long, and a kernel that has become long is seen soon") {
  short_kernels all(700);
  const kernel_code& a = short_add.code();
  all.took(a, 64, 200);
  all.took(a, 64, 10'000'000);
  CHECK(all.is_short(a, 64));
  int needed = 0;
  for (; all.is_short(a, 64); ++needed) all.took(a, 64, 5'000);
  CHECK(needed <= 5);
  for (int i = 0; i < 40; ++i) all.took(a, 64, UINT64_MAX);
  for (needed = 0; !all.is_short(a, 64); ++needed) all.took(a, 64, 100);
  CHECK(needed <= 30);
}

TEST_CASE("native code is never short: it may wait for the launching thread") {
  short_kernels all(700);
  kernel_code mine = short_add.code();
  mine.native = reinterpret_cast<const native_functions*>(&mine);
  all.took(mine, 1, 10);
  CHECK_FALSE(all.is_short(mine, 1));
}

TEST_CASE("chains, forks and joins of short kernels compute what they would in the order of submission") {
  for (const unsigned workers : {1u, 2u, 4u}) {
    runtime rt({.workers = workers});
    rt.run([] {
      const std::vector<int> ones(64, 1);
      object<int> a(box(0, 64), ones.data()), b(box(0, 64), ones.data());
      int expected_a = 1, expected_b = 1;
      for (int round = 0; round < 20; ++round)  // those of the first are handed over
        finish([&] {
          for (int i = 0; i < 50; ++i) {
            launch(short_add, box(0, 64), a, i);
            launch(short_sum, box(0, 1), a, b);
            launch(short_add, box(0, 1), b, -1);
            expected_a += i, expected_b += expected_a - 1;
          }
        });
      CHECK(a.read().get().view()(63) == expected_a);
      CHECK(b.read().get().view()(0) == expected_b);
    });
  }
}

TEST_CASE("a short kernel follows its predecessors, whichever thread submits it") {
  runtime rt({.workers = 2});
  rt.run([] {
    const int zero = 0;
    object<int> a(box(0, 1), &zero);
    for (int i = 0; i < 200; ++i) wait(launch(short_add, box(0, 1), a, 1));
    for (int i = 0; i < 50; ++i) {
      const user_event gate = user_event::create();
      const event last = launch(after(gate), short_add, box(0, 1), a, 1);
      const event behind = launch(short_add, box(0, 1), a, 1);
      CHECK_FALSE(last.has_triggered());
      CHECK_FALSE(behind.has_triggered());
      gate.trigger();
      wait(behind);
    }
    CHECK(a.read().get().view()(0) == 300);
  });
}

TEST_CASE("threads that launch short kernels on one object at a time lose none") {
  runtime rt({.workers = 4});
  rt.run([] {
    const int zero = 0;
    object<int> a(box(0, 1), &zero);
    finish([&] {
      for (int t = 0; t < 4; ++t)
        async([&] {
          for (int i = 0; i < 500; ++i) launch(short_add, box(0, 1), a, 1);
        });
    });
    CHECK(a.read().get().view()(0) == 2000);
  });
}

}  // namespace
}  // namespace stretto
