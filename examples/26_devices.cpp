// 26_devices.cpp - instances in the memory of devices, and kernels that run where they are.
//
// This program shows the explicit way to use devices. It creates arrays in the memory of each device, copies data
// there, launches a chain of 100 kernels, and copies the result back. All of it is submitted at once, in order by
// events. It helps readers who know streams of CUDA and want full control of where data are; examples/19_objects.cpp
// shows the automatic way.
//
// Each device smooths its own copy of a line, and the host does the same. Run it with STRETTO_DEVICES=opencl (or cuda,
// or all); without that, it uses two simulated devices.
//
// Output
//   2 devices and the host
//   device 0 as the host: true
//   device 1 as the host: true
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

// clang-format off
STRETTO_KERNEL(smoothed, (in<float> u, out<float> v), {
  int i = global_id(0);
  v(i) = 0.25f * u(i - 1) + 0.5f * u(i) + 0.25f * u(i + 1);
})
// clang-format on

/// Copies `from` to `memory`, smooths it there, and copies it back.
event smooth(instance<float> from, place memory, instance<float> to, int steps, const event& filled) {
  const box all = from.elements(), inside(all.min()[0] + 1, all.max()[0] - 1);
  auto u = instance<float>::create(at(memory), all).made, v = instance<float>::create(at(memory), all).made;
  const event there[] = {copy(from, u, after(filled)), copy(from, v, after(filled))};
  event last = merge(there);
  for (int s = 0; s < steps; ++s)
    last = s % 2 ? launch(after(last), smoothed, inside, v, u) : launch(after(last), smoothed, inside, u, v);
  last = copy(steps % 2 ? v : u, to, after(last));
  u.destroy(after(last)), v.destroy(after(last));
  return last;
}

int main() {
  runtime_options options;
  if (!std::getenv("STRETTO_DEVICES")) options.devices = "sim:2";
  runtime rt(options);
  rt.run([&] {
    const platform& machine = rt.machine();
    const place ram = machine.memories().front();
    const auto memories = machine.places(place_kind::gpu_memory);
    std::printf("%zu devices and the host\n", memories.size());

    const box all(0, 100'000);
    auto x = instance<float>::create(at(ram), all).made;
    const event zero = fill(x, 0.0f), filled = fill(x, box(50'000, 50'001), 1000.0f, after(zero));
    std::vector<instance<float>> results;
    std::vector<event> ends;
    for (std::size_t i = 0; i <= memories.size(); ++i) {
      results.push_back(instance<float>::create(at(ram), all).made);
      ends.push_back(smooth(x, i < memories.size() ? memories[i] : ram, results.back(), 100, filled));
    }
    wait(merge(ends));

    const auto host = results.back().view();
    for (std::size_t i = 0; i < memories.size(); ++i) {
      const auto device = results[i].view();
      bool same = true;
      for (int k = 0; k < 100'000; ++k) same = same && std::abs(device(k) - host(k)) < 1e-3f;
      std::printf("device %zu as the host: %s\n", i, same ? "true" : "false");
    }
    for (auto& r : results) r.destroy();
    x.destroy();
  });
}
