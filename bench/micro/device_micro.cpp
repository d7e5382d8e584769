// device_micro.cpp - the cost of launches and copies, compared with the same calls of raw OpenCL in the same run.
//
// With PoCL the "device" is this machine's cores, so that the driver's work and ours compete for them.
#include <benchmark/benchmark.h>

#include <stretto/stretto.hpp>

#include <cstdlib>
#include <vector>

#include "raw_device.hpp"

using namespace stretto;
using bench::raw_device;

namespace {

STRETTO_KERNEL(nothing, (inout<int> x), {})
STRETTO_KERNEL(nothing_of_three, (inout<int> x, in<int> y, in<int> z, float c), {})

constexpr int chain = 1000;  // launches between two waits

void raw_opencl_chain(benchmark::State& state) {
  raw_device d;
  const std::size_t one = 1;
  for (auto _ : state) {
    for (int i = 0; i < chain; ++i) {
      // As careful code does for kernels whose arguments may change.
      d.cl->clSetKernelArg(d.kernel, 0, sizeof d.buffer, &d.buffer);
      d.cl->clEnqueueNDRangeKernel(d.queue, d.kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr);
    }
    d.cl->clFinish(d.queue);
  }
  state.SetItemsProcessed(state.iterations() * chain);
}
BENCHMARK(raw_opencl_chain)->UseRealTime();

/// The same, asking for each kernel whether it has ended before the next is enqueued: what a runtime does that waits on
/// the host.
void raw_opencl_with_host(benchmark::State& state) {
  raw_device d;
  const std::size_t one = 1;
  for (auto _ : state)
    for (int i = 0; i < chain; ++i) {
      cl_event e = nullptr;
      d.cl->clEnqueueNDRangeKernel(d.queue, d.kernel, 1, nullptr, &one, &one, 0, nullptr, &e);
      d.cl->clFlush(d.queue);
      for (cl_int s = CL_QUEUED; s > CL_COMPLETE;)
        d.cl->clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof s, &s, nullptr);
      d.cl->clReleaseEvent(e);
    }
  state.SetItemsProcessed(state.iterations() * chain);
}
BENCHMARK(raw_opencl_with_host)->UseRealTime();

template <class Body>
void on_device(const char* devices, Body&& body) {
  setenv("STRETTO_DEVICE_MEMORY", "256M", 1);
  runtime rt({.workers = 1, .devices = devices});
  rt.run([&] { body(rt.machine().places(place_kind::gpu_memory).front(), rt.machine().memories().front()); });
}

void stretto_chain(benchmark::State& state, const char* devices) {
  on_device(devices, [&](place memory, place) {
    auto x = instance<int>::create(at(memory), {0, 1}).made;
    wait(fill(x, 0));
    for (auto _ : state) {
      event last;
      for (int i = 0; i < chain; ++i) last = launch(after(last), nothing, box(0, 1), x);
      wait(last);
    }
    x.destroy();
  });
  state.SetItemsProcessed(state.iterations() * chain);
}
BENCHMARK_CAPTURE(stretto_chain, opencl, "opencl:1")->UseRealTime();
BENCHMARK_CAPTURE(stretto_chain, sim, "sim")->UseRealTime();

/// Launches on the host: a task each.
void stretto_host(benchmark::State& state) {
  runtime rt({.workers = 1});
  rt.run([&] {
    const place ram = rt.machine().memories().front();
    auto x = instance<int>::create(at(ram), {0, 1}).made, y = instance<int>::create(at(ram), {0, 1}).made;
    for (auto _ : state) {
      event last;
      for (int i = 0; i < chain; ++i) last = launch(after(last), nothing_of_three, box(0, 1), x, y, y, 1.0f);
      wait(last);
    }
    x.destroy(), y.destroy();
  });
  state.SetItemsProcessed(state.iterations() * chain);
}
BENCHMARK(stretto_host);

void raw_opencl_write(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  raw_device d(bytes);
  const std::vector<char> from(bytes, 1);
  for (auto _ : state) {
    d.cl->clEnqueueWriteBuffer(d.queue, d.buffer, CL_FALSE, 0, bytes, from.data(), 0, nullptr, nullptr);
    d.cl->clFinish(d.queue);
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(raw_opencl_write)->Arg(1 << 16)->Arg(1 << 20)->Arg(64 << 20)->UseRealTime();

void stretto_write(benchmark::State& state) {
  on_device("opencl:1", [&](place memory, place ram) {
    auto h = instance<char>::create(at(ram), {0, state.range(0)}).made;
    auto d = instance<char>::create(at(memory), {0, state.range(0)}).made;
    wait(fill(h, 1));
    for (auto _ : state) wait(copy(h, d));
    h.destroy(), d.destroy();
  });
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(stretto_write)->Arg(1 << 16)->Arg(1 << 20)->Arg(64 << 20)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
