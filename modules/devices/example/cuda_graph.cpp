// A graph that is captured once and launched four times, with a body that calls a library in the stream that it gets.
// Without a GPU the simulated device runs the body, whose stream is then null.
#include <stretto_devices/cuda_module.hpp>

#include <cstdio>

using namespace stretto;

/// In place of a library with calls for streams, such as cuBLAS.
void library_scale(const cuda_stream& s, float* x, std::int64_t n, float by) {
  if (!s.stream)  // on a simulated device
    for (std::int64_t i = 0; i < n; ++i) x[i] *= by;
}

int main() {
  auto cuda = std::make_shared<cuda_module>();
  runtime rt({.devices = "sim", .modules = {cuda}});
  float last = 0;
  rt.run([&] {
    const native_device gpu = cuda->devices().front();
    const auto x = instance<float>::create(at(gpu.memory), box(0, 100)).made;
    const event filled = fill(x, 2.5f);
    const cuda_graph doubled =
        cuda->capture(
                at(gpu.processor),
                [](cuda_stream s, const native_array<float>& a) { library_scale(s, a.data, a.length(0), 2); }, x)
            .get();
    event done = filled;
    for (int i = 0; i < 4; ++i) done = cuda->enqueue(after(done), at(gpu.processor), doubled);
    const auto back =
        instance<float>::create(at(this_machine().places(place_kind::system_memory).front()), box(0, 100)).made;
    wait(copy(x, back, after(done)));
    last = back.view()(99);
    wait(merge({x.destroy(), back.destroy()}));
  });
  std::uint64_t calls = 0;
  for (const module_statistics& s : rt.statistics().modules)
    if (s.what == "lent calls") calls += s.count;
  std::printf("%g, %d launches\n", static_cast<double>(last), static_cast<int>(calls) - 1);
}
