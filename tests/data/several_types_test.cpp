// Instances of vectors and bools, and kernel templates and kernels with scopes on them, on the host and on devices.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/kernel_template.hpp>
#include <stretto/launch.hpp>
#include <stretto/platform.hpp>
#include <stretto/reduce.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <string>

#include "thrown_by.hpp"
#include "usable_devices.hpp"
#include "with_variable.hpp"

namespace stretto::instances_of_several_types {
namespace {

// clang-format off
STRETTO_KERNEL_TEMPLATE((class V, int Shift), shifted, (in<V> x, out<V> y, inout<bool> was_seen), {
  int i = global_id(0);
  y(i) = x(i + Shift) * 2;
  was_seen(i) = was_seen(i) || true;
})
STRETTO_KERNEL_TEMPLATE((class T), added_up, (in<T> x, reduce<sum<T>> all), { all(0) << x(global_id(0)); })
// clang-format on

template <class Body>
void with_each_device(Body&& body) {
  for (const std::string& kind : test::usable_devices({"none", "sim", "opencl:1"}, "instances of several types")) {
    INFO(kind);
    runtime rt({.workers = 2, .devices = kind});
    rt.run([&] {
      const place ram = rt.machine().memories().front();
      const auto of_devices = rt.machine().places(place_kind::gpu_memory);
      body(ram, of_devices.empty() ? ram : of_devices.front());
    });
  }
}

template <class V>
void check_shifted(place ram, place memory) {
  auto x = instance<V>::create(at(memory), {0, 20}).made, y = instance<V>::create(at(memory), {0, 20}).made;
  auto flags = instance<bool>::create(at(memory), {0, 20}).made, seen = instance<bool>::create(at(ram), {0, 20}).made;
  auto back = instance<V>::create(at(ram), {0, 20}).made;
  const event filled[] = {fill(x, V(4)), fill(y, V(0)), fill(flags, false)};
  const event last = launch(after(merge(filled)), shifted<V, 3>, box(0, 17), x, y, flags);
  const event here[] = {copy(y, back, after(last)), copy(flags, seen, after(last))};
  wait(merge(here));
  int wrong = 0;
  for (coordinate i = 0; i < 20; ++i) wrong += back.view()(i).y != (i < 17 ? 8 : 0) || seen.view()(i) != (i < 17);
  CHECK(wrong == 0);
  x.destroy(), y.destroy(), flags.destroy(), seen.destroy(), back.destroy();
}

TEST_CASE("instances of vectors and bools are filled, copied and computed") {
  with_each_device([](place ram, place memory) {
    check_shifted<float2>(ram, memory);
    check_shifted<int4>(ram, memory);
    check_shifted<double2>(ram, memory);
  });
}

template <class T>
void check_added_up(place ram, place memory) {
  auto x = instance<T>::create(at(memory), {0, 100}).made, all = instance<T>::create(at(memory), {0, 1}).made;
  auto back = instance<T>::create(at(ram), {0, 1}).made;
  const event filled[] = {fill(x, T(3)), fill(all, T(0))};
  wait(copy(all, back, after(launch(after(merge(filled)), added_up<T>, box(0, 100), x, all))));
  CHECK(back.view()(0) == T(300));
  x.destroy(), all.destroy(), back.destroy();
}

TEST_CASE("a template's kernel contributes by the operator of its type") {
  with_each_device([](place ram, place memory) {
    check_added_up<int>(ram, memory);
    check_added_up<float>(ram, memory);
    check_added_up<double>(ram, memory);
    check_added_up<unsigned long>(ram, memory);
  });
}

TEST_CASE("errors of a launch name the template's kernel") {
  const test::with_variable checked("STRETTO_CHECK", "1");
  with_each_device([](place, place memory) {
    auto x = instance<float4>::create(at(memory), {0, 20}).made, y = instance<float4>::create(at(memory), {0, 20}).made;
    auto flags = instance<bool>::create(at(memory), {0, 20}).made;
    const event filled[] = {fill(x, float4(1)), fill(y, float4(1)), fill(flags, false)};
    wait(merge(filled));
    const error e = test::error_of([&] { wait(launch(shifted<float4, 3>, box(0, 18), x, y, flags)); });
    CHECK(e.code() == "K01");
    CHECK(e.sentence() == "kernel \"shifted<float4, 3>\" accesses an element outside of array \"x\"");
    const error in_groups_of =
        test::error_of([&] { launch(shifted<float4, 3>, in_groups(box(0, 2), 4), x, y, flags); });
    CHECK(in_groups_of.sentence() == "kernel \"shifted<float4, 3>\" is launched in groups, but is written for items");
    x.destroy(), y.destroy(), flags.destroy();
  });
}

}  // namespace
}  // namespace stretto::instances_of_several_types
