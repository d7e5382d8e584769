// Rounding, flushing of small numbers and the x87's control word belong to the task that set them.
#include <doctest/doctest.h>

#include <cfenv>
#include <limits>
#include <thread>

#include <stretto/coroutine.hpp>
#include <stretto/stretto.hpp>

#include "../src/base/floating_control.hpp"
#include "sched/with_runtimes.hpp"

using namespace stretto;
using base::floating_control;

namespace {

float quotient(float a, float b) {
  volatile float x = a, y = b;
  return x / y;
}
bool rounds_to_nearest() { return quotient(2, 3) > 0.6666666f && std::fegetround() == FE_TONEAREST; }
bool keeps_small_numbers() {
  volatile float small = std::numeric_limits<float>::min();
  return small / 2 > 0;
}

/// Not by <cfenv>: by intrinsics that set the vector unit's control word and leave the x87's alone.
void set_vectors_only(std::uint32_t bits, std::uint32_t mask) {
  auto words = base::read_floating_words();
  words.vectors = (words.vectors & ~mask) | bits;
  base::write_floating_words(words);
}
constexpr std::uint32_t flush = base::x86_64 ? 0x8000 : 1u << 24;
void flush_small_numbers(bool on) { set_vectors_only(on ? flush : 0, flush); }
void set_precision_of_x87() {
  auto words = base::read_floating_words();
  words.x87 = static_cast<std::uint16_t>(words.x87 & ~0x300);  // 24 bits
  base::write_floating_words(words);
}

constexpr std::uint32_t up = base::x86_64 ? 0x4000 : 1u << 22, rounding = base::x86_64 ? 0x6000 : 3u << 22;
void flush_small_operands() { set_vectors_only(base::x86_64 ? 0x40 : 0, base::x86_64 ? 0x40 : 0); }

constexpr void (*of_vectors[])() = {[] { std::fesetround(FE_UPWARD); },     [] { std::fesetround(FE_DOWNWARD); },
                                    [] { std::fesetround(FE_TOWARDZERO); }, [] { flush_small_numbers(true); },
                                    [] { set_vectors_only(up, rounding); }, flush_small_operands};
constexpr void (*others[])() = {set_precision_of_x87};

}  // namespace

TEST_CASE("every change of rounding and of flushing is detected") {
  const base::usual_floating_control usual;
  CHECK(usual.is_in_force());
  for (const auto change : of_vectors) {
    change();
    CHECK_FALSE(usual.is_in_force());
    usual.ensure();
    CHECK(usual.is_in_force());
    CHECK(floating_control::now() == usual.value());
  }
}

TEST_CASE("a task keeps its arithmetic while it is suspended, and others do not see it") {
  test::with_runtimes([] {
    const auto usual = floating_control::now();
    const auto keeps = [usual](auto change) {
      const auto gate = user_event::create(), begun = user_event::create();
      const auto a = async([=] {
        change();
        const auto own = floating_control::now();
        begun.trigger();
        wait(gate);
        CHECK(floating_control::now() == own);
        yield();
        CHECK(floating_control::now() == own);
        usual.set();
      });
      async(after(begun), [=] {
        CHECK(floating_control::now() == usual);
        gate.trigger();
      }).get();
      a.get();
      CHECK(floating_control::now() == usual);
    };
    for (const auto change : of_vectors) keeps(change);
    for (const auto change : others) keeps(change);
  });
}

TEST_CASE("the runtime neither sets the flags of floating-point errors nor traps for a task that traps them") {
  test::with_runtimes([] {
    std::feclearexcept(FE_ALL_EXCEPT);
    finish([] {
      for (int i = 0; i < 20; ++i) async([] {});
    });
    CHECK(std::fetestexcept(FE_ALL_EXCEPT) == 0);
    async([] {
      if (base::x86_64) set_vectors_only(0, 0x1f80);  // traps each of them, up to the end of the task
      async([] {}).get();
    }).get();
  });
}

TEST_CASE("a control word that a task leaves behind reaches neither its waiter nor the next task") {
  test::with_runtimes([] {
    for (int i = 0; i < 20; ++i) {
      async([] { std::fesetround(FE_DOWNWARD); }).get();
      CHECK(rounds_to_nearest());
      finish([] {
        for (int k = 0; k < 10; ++k)
          async([] {
            CHECK(rounds_to_nearest());
            CHECK(keeps_small_numbers());
            if (base::x86_64) flush_small_numbers(true);
            std::fesetround(FE_UPWARD);
          });
      });
      CHECK(rounds_to_nearest());
      CHECK(keeps_small_numbers());
    }
  });
}

TEST_CASE("a task that waits with another rounding runs tasks on top of itself as usual, and goes on with its own") {
  test::with_runtimes([] {
    std::fesetround(FE_UPWARD);
    async([] { CHECK(std::fegetround() == FE_TONEAREST); }).get();
    CHECK(std::fegetround() == FE_UPWARD);
    finish([] {
      for (int i = 0; i < 5; ++i) async([] { CHECK(std::fegetround() == FE_TONEAREST); });
    });
    CHECK(std::fegetround() == FE_UPWARD);
    std::fesetround(FE_TONEAREST);
  });
}

TEST_CASE("an attached thread has its own arithmetic, and its tasks have the usual one") {
  for (const std::uint32_t workers : {1u, 2u}) {
    runtime rt({.workers = workers});
    std::thread([&] {
      attached_thread here(rt);
      std::fesetround(FE_UPWARD);
      async([] { CHECK(std::fegetround() == FE_TONEAREST); }).get();
      CHECK(std::fegetround() == FE_UPWARD);
    }).join();
  }
}

TEST_CASE("a runtime made with another rounding mode uses it everywhere") {
  std::fesetround(FE_TOWARDZERO);
  {
    runtime rt({.workers = 3});
    rt.run([] {
      finish([] {
        for (int i = 0; i < 50; ++i) async([] { CHECK(std::fegetround() == FE_TOWARDZERO); });
      });
    });
  }
  std::fesetround(FE_TONEAREST);
}

TEST_CASE("a coroutine keeps its rounding across co_await, and its caller does not get it") {
  test::with_runtimes([] {
    const auto gate = user_event::create();
    const auto wait_upward = [](event e) -> future<int> {
      std::fesetround(FE_UPWARD);
      co_await e;
      const int mode = std::fegetround();
      std::fesetround(FE_TONEAREST);
      co_return mode;
    };
    const future<int> mode = wait_upward(gate);
    CHECK(std::fegetround() == FE_TONEAREST);
    gate.trigger();
    CHECK(mode.get() == FE_UPWARD);
    CHECK(std::fegetround() == FE_TONEAREST);
  });
}
