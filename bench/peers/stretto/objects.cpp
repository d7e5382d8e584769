// objects.cpp - Stretto: launches on objects whose kernels do next to nothing.

#include <stretto/finish.hpp>
#include <stretto/launch.hpp>
#include <stretto/object.hpp>

#include "peers/stretto/benchmarks.hpp"

using namespace stretto;

// clang-format off
STRETTO_KERNEL(nothing, (int x), { int i = global_id(0); i = x + i; })
STRETTO_KERNEL(look_at_one, (in<int> a), { int i = global_id(0) + a(0); i = i + 1; })
STRETTO_KERNEL(change_one, (inout<int> a), { a(0) += 1; })
STRETTO_KERNEL(look_at_three, (in<int> a, in<int> b, in<int> c), { int i = a(0) + b(0) + c(0); i = i + 1; })
STRETTO_KERNEL(change_three, (inout<int> a, inout<int> b, inout<int> c), { a(0) += 1; b(0) += 1; c(0) += 1; })
// clang-format on

namespace {

const box one(0, 1);

/// `submit(i)` as often as asked for, until all have run.
template <class Submit>
bench::outcome time_launches(const bench::options& o, Submit&& submit) {
  const bench::stopwatch clock;
  finish([&] {
    for (long i = 0; i < o.size; ++i) submit();
  });
  return {clock.nanoseconds_per(static_cast<double>(o.size))};
}

struct three_objects {
  const int zero = 0;
  object<int> a{one, &zero}, b{one, &zero}, c{one, &zero};

  void expect(long each) {
    for (object<int>* x : {&a, &b, &c}) bench::expect("times changed", x->read().get().view()(0), each);
  }
};

}  // namespace

bench::outcome time_launch_of_none(const bench::options& o) {
  return time_launches(o, [&] { launch(nothing, one, 1); });
}

bench::outcome time_readers_of_one(const bench::options& o) {
  three_objects x;
  return time_launches(o, [&] { launch(look_at_one, one, x.a); });
}

bench::outcome time_chain_on_one(const bench::options& o) {
  three_objects x;
  const bench::outcome time = time_launches(o, [&] { launch(change_one, one, x.a); });
  bench::expect("times changed", x.a.read().get().view()(0), o.size);
  return time;
}

bench::outcome time_readers_of_three(const bench::options& o) {
  three_objects x;
  return time_launches(o, [&] { launch(look_at_three, one, x.a, x.b, x.c); });
}

bench::outcome time_chain_on_three(const bench::options& o) {
  three_objects x;
  const bench::outcome time = time_launches(o, [&] { launch(change_three, one, x.a, x.b, x.c); });
  x.expect(o.size);
  return time;
}
