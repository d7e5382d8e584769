// 13_kernels.cpp - kernels with device functions, structures, atomics and work groups.
//
// This program shows how kernels are written. The same source runs on the host, and on devices by CUDA and OpenCL. A
// kernel may use constants, structures and functions of the program; a group kernel has local memory for its work
// group. It helps readers who know CUDA or OpenCL kernels.
//
// Particles fall in a box and are counted by height, and a group kernel adds up their energies. Kernels run where the
// arrays are: in host memory, or with STRETTO_DEVICES=opencl (or cuda, or sim) in the memory of a device.
//
// Output
//   1024 particles, 1000 steps
//   lowest 0.00, none above where the highest began: true
//   counted: 1024
//   energies by groups and by a loop differ by less than 1e-3: true
#include <cmath>
#include <cstdio>

#include <stretto/stretto.hpp>

using namespace stretto;

// clang-format off
STRETTO_DEVICE_CONSTANT(float, gravity, 9.81f)
STRETTO_DEVICE_STRUCT(particle, { float height; float speed; })
STRETTO_DEVICE_FUNCTION(float, energy, (particle p), { return gravity * p.height + 0.5f * p.speed * p.speed; })

STRETTO_KERNEL(fall, (inout<particle> p, float dt), {
  int i = global_id(0);
  p(i).speed -= dt * gravity;
  p(i).height += dt * p(i).speed;
  if (p(i).height < 0.0f) {          // an inelastic bounce
    p(i).height = 0.0f;
    p(i).speed = -0.5f * p(i).speed;
  }
})

STRETTO_KERNEL(count_by_height, (in<particle> p, inout<int> slots), {
  int slot = min((int)(p(global_id(0)).height * 10.0f), 9);
  atomic_add(&slots(slot), 1);
})

STRETTO_GROUP_KERNEL(add_energies, (in<particle> p, out<float> sums, local<float> part), {
  each_item([&](item it) { part(it.local_id(0)) = energy(p(it.global_id(0))); });
  for (int half = group_size(0) / 2; half > 0; half /= 2)
    each_item([&](item it) {
      if (it.local_id(0) < half) part(it.local_id(0)) += part(it.local_id(0) + half);
    });
  each_item([&](item it) { if (it.local_id(0) == 0) sums(group_id(0)) = part(0); });
})
// clang-format on

int main() {
  constexpr int count = 1024, group = 64, steps = 1000;
  runtime rt;
  rt.run([&] {
    const place ram = rt.machine().memories().front();
    const auto of_devices = rt.machine().places(place_kind::gpu_memory);
    const place there = of_devices.empty() ? ram : of_devices.front();
    auto p = instance<particle>::create(at(there), {0, count}).made,
         particles = instance<particle>::create(at(ram), {0, count}).made;
    auto slots = instance<int>::create(at(there), {0, 10}).made, counts = instance<int>::create(at(ram), {0, 10}).made;
    auto sums = instance<float>::create(at(there), {0, count / group}).made,
         energies = instance<float>::create(at(ram), {0, count / group}).made;
    const auto view = particles.view();
    for (int i = 0; i < count; ++i) view(i) = {0.001f * static_cast<float>(i), 0.0f};

    event last = copy(particles, p);
    for (int s = 0; s < steps; ++s) last = launch(after(last), fall, box(0, count), p, 0.001);
    event empty = fill(slots, 0);
    const event counted_there = launch(after(last, empty), count_by_height, box(0, count), p, slots);
    const event added =
        launch(after(last), add_energies, in_groups({0, count / group}, group), p, sums, local_size{group});
    wait(copy(p, particles, after(last))), wait(copy(slots, counts, after(counted_there))),
        wait(copy(sums, energies, after(added)));

    int counted = 0;
    float lowest = 1e9f, highest = 0;
    double by_groups = 0, by_loop = 0;
    for (int i = 0; i < 10; ++i) counted += counts.view()(i);
    for (int g = 0; g < count / group; ++g) by_groups += energies.view()(g);
    for (int i = 0; i < count; ++i) {
      lowest = std::fmin(lowest, view(i).height), highest = std::fmax(highest, view(i).height);
      by_loop += energy(view(i));
    }
    std::printf("%d particles, %d steps\n", count, steps);
    std::printf("lowest %.2f, none above where the highest began: %s\n", lowest, highest < 1.024f ? "true" : "false");
    std::printf("counted: %d\n", counted);
    std::printf("energies by groups and by a loop differ by less than 1e-3: %s\n",
                std::abs(by_groups - by_loop) < 1e-3 * by_loop ? "true" : "false");
    for (const auto& used : {p, particles}) used.destroy();
    for (const auto& used : {slots, counts}) used.destroy();
    for (const auto& used : {sums, energies}) used.destroy();
  });
}
