// Results, promised values and captured bodies are aligned as their types require.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <stretto/coroutine.hpp>
#include <stretto/stretto.hpp>

#include "sched/with_runtimes.hpp"

using namespace stretto;

namespace {

template <std::size_t bytes>
struct alignas(bytes) aligned {
  std::uint64_t value = 0;
  bool is_right() const { return reinterpret_cast<std::uintptr_t>(this) % bytes == 0; }
};

template <std::size_t bytes>
void check_alignment() {
  using value = aligned<bytes>;
  CAPTURE(bytes);
  std::vector<future<value>> all;
  const auto gate = user_event::create();
  for (std::uint64_t i = 0; i < 5; ++i) {
    all.push_back(async([i] { return value{i}; }));
    all.push_back(async(after(gate), name("aligned"), [i] { return value{i}; }));
    all.push_back(async(after(all[0], gate, gate), [i, captured = value{i}] {
      CHECK(captured.is_right());
      return captured;
    }));
    promise<value> p;
    all.push_back(p.get_future());
    p.set(value{i});
    future<operation_profile> profiled;
    all.push_back(async(profile(profiled), [i] { return value{i}; }));
    async([captured = value{i}] { CHECK(captured.is_right()); });
  }
  gate.trigger();
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].get().is_right());
    CHECK(all[i].get().value == i / 5);
  }
}

template <std::size_t bytes>
future<bool> is_aligned_in_coroutine(event e) {
  aligned<bytes> own{bytes};
  co_await e;
  co_return own.is_right() && own.value == bytes;
}

}  // namespace

TEST_CASE("results, promised values and captures are aligned as their types require, up to 4096") {
  test::with_runtimes([] {
    check_alignment<8>();
    check_alignment<64>();
    check_alignment<128>();
    check_alignment<256>();
    check_alignment<4096>();
  });
}

TEST_CASE("values in a coroutine's frame are aligned as their types require") {
  test::with_runtimes([] {
    for (int i = 0; i < 10; ++i) {
      const auto gate = user_event::create();
      const auto a = is_aligned_in_coroutine<32>(gate), b = is_aligned_in_coroutine<128>(gate),
                 c = is_aligned_in_coroutine<4096>(gate);
      gate.trigger();
      CHECK(a.get());
      CHECK(b.get());
      CHECK(c.get());
    }
  });
}
