// bench.hpp - a device to which a test copies arrays, and on which it launches kernels and waits.
#pragma once

#include <stretto/kernel.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/devices.hpp"
#include "counting_completion.hpp"
#include "device/arrays.hpp"
#include "device/host_work.hpp"
#include "function_reference.hpp"

namespace stretto::device {

using test::counting_completion;

/// A device with one stream and a bump allocator for its memory.
struct bench {
  std::unique_ptr<stretto::device::device> on;
  std::unique_ptr<stream> s;
  std::uint64_t used = 0;
  std::vector<std::pair<std::byte*, std::uint64_t>> taken;

  explicit bench(const candidate& c) : on(c.make()), s(on->make_stream()) {}

  std::byte* take(std::uint64_t bytes) {
    std::byte* const at = on->memory() + used;
    used += (bytes + 255) / 256 * 256;
    REQUIRE(used <= on->about().memory_bytes);
    on->allocated(at, bytes);
    taken.emplace_back(at, bytes);
    return at;
  }
  void give_all_back() {
    for (const auto& [at, bytes] : taken) on->freed(at, bytes);
    taken.clear();
    used = 0;
  }
  void wait(counting_completion& e) {
    while (!e.times) {
      if (!on->poll()) std::this_thread::yield();
    }
    CHECK(e.times == 1);
  }
  template <class T>
  launch_argument put(const array<T>& a) {
    std::byte* const at = take(a.bytes());
    counting_completion e;  // wait: the array may be destroyed before the device copies
    s->copy({{}, reinterpret_cast<std::byte*>(const_cast<T*>(a.values.data()))}, {{}, at}, {a.bytes()}, &e);
    wait(e);
    return {a.at(at), at, a.bytes()};
  }
  template <class T>
  void get(array<T>& a, const launch_argument& from) {
    counting_completion e;
    s->copy({{}, from.first}, {{}, reinterpret_cast<std::byte*>(a.values.data())}, {a.bytes()}, &e);
    wait(e);
    CHECK_FALSE(e.failure);
  }
  template <class T>
  static launch_argument value(T& v) {
    return {stretto::device::value(v)};
  }
  void launch(const kernel_code& code, const launch_range& r, const std::vector<launch_argument>& a,
              places::completion* done = nullptr) {
    s->launch(*on->compile(code), r, a, done);
  }
};

inline launch_range range(std::vector<std::int64_t> min, std::vector<std::int64_t> max,
                          std::vector<std::int64_t> group = {}) {
  launch_range r;
  r.dimensions = static_cast<int>(min.size());
  for (std::size_t i = 0; i < min.size(); ++i) {
    r.min[i] = min[i], r.max[i] = max[i];
    if (!group.empty()) r.group[i] = group[i];
  }
  return r;
}

inline void on_host(const kernel_code& code, const launch_range& r, std::vector<kernel_argument> a) {
  std::vector<launch_argument> given;
  for (kernel_argument& one : a) given.push_back({one});
  group_memory memory;
  host_arguments(code, given).run(r, r.min, r.max, index_checks::off, memory);
}

inline void on_each(test::function_reference<void(bench&, const candidate&)> body) {
  for (const candidate& c : candidates()) {
    INFO(c.name);
    bench b(c);
    body(b, c);
  }
}
inline void on_each(test::function_reference<void(bench&)> body) {
  on_each([&](bench& b, const candidate&) { body(b); });
}

}  // namespace stretto::device
