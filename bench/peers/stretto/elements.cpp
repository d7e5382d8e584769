// elements.cpp - Stretto: instances in the first memory of the machine, and copies between them.

#include <stretto/copy.hpp>
#include <stretto/instance.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <cstring>

#include "peers/stretto/benchmarks.hpp"

namespace {

using stretto::instance;

stretto::place memory() {
  static const stretto::place first = stretto::platform::discover().memories().front();
  return first;
}

}  // namespace

bench::outcome time_copy(const bench::options& o) {
  const auto a = instance<double>::create(stretto::at(memory()), {0, 1}).made;
  const auto b = instance<double>::create(stretto::at(memory()), {0, 1}).made;
  stretto::wait(stretto::fill(a, 3.0));
  const bench::stopwatch clock;
  for (long i = 0; i < o.size; ++i) stretto::wait(stretto::copy(a, b));
  const double ns = clock.nanoseconds_per(static_cast<double>(o.size));
  bench::expect("element", static_cast<long>(b.view()(0)), 3);
  a.destroy(), b.destroy();
  return {ns};
}

// Copies to and fro; the first waits for an event, each other one for the copy before.
bench::outcome time_copy_chain(const bench::options& o) {
  const auto a = instance<double>::create(stretto::at(memory()), {0, 1}).made;
  const auto b = instance<double>::create(stretto::at(memory()), {0, 1}).made;
  stretto::wait(stretto::fill(a, 3.0));
  const bench::stopwatch clock;
  const auto start = stretto::user_event::create();
  stretto::event last = start;
  for (long i = 0; i < o.size; ++i)
    last = i % 2 ? stretto::copy(b, a, stretto::after(last)) : stretto::copy(a, b, stretto::after(last));
  start.trigger();
  stretto::wait(last);
  const double ns = clock.nanoseconds_per(static_cast<double>(o.size));
  bench::expect("element", static_cast<long>(b.view()(0)), 3);
  a.destroy(), b.destroy();
  return {ns};
}

// The time of a copy as a multiple of that of memcpy, measured alternately so that both see the same load.
bench::outcome compare_large_copy(const bench::options& o) {
  const auto a = instance<char>::create(stretto::at(memory()), {0, o.size}).made;
  const auto b = instance<char>::create(stretto::at(memory()), {0, o.size}).made;
  stretto::wait(stretto::fill(a, char{1}));
  stretto::wait(stretto::fill(b, char{2}));
  double plain = 1e300, copied = 1e300;
  for (int i = 0; i < 5; ++i) {
    const bench::stopwatch by_hand;
    std::memcpy(&b.view()(0), &a.view()(0), static_cast<std::size_t>(o.size));
    plain = std::min(plain, by_hand.seconds());
    const bench::stopwatch ours;
    stretto::wait(stretto::copy(a, b));
    copied = std::min(copied, ours.seconds());
  }
  bench::expect("last element", b.view()(o.size - 1), 1);
  a.destroy(), b.destroy();
  return {copied / plain, {{"GB_per_s", static_cast<double>(o.size) / copied / 1e9}}};
}

bench::outcome time_instance(const bench::options& o) {
  const bench::stopwatch clock;
  for (long i = 0; i < o.size; ++i) instance<char>::create(stretto::at(memory()), {0, 128}).made.destroy();
  return {clock.nanoseconds_per(static_cast<double>(o.size))};
}
