// Streams of CUDA, adopted and lent, and graphs, on a device of CUDA if there is one, and on a simulated device; prints
// what failed and exits with 1. With STRETTO_TEST_NEEDS_CUDA it fails if there is no device of CUDA.
#include <stretto_devices/cuda_module.hpp>

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include "checks.hpp"
#include "cuda_program.hpp"

using namespace stretto;

namespace {

constexpr const char* scale_text = R"(
extern "C" __global__ void scale(float* x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
})";
constexpr const char* add_text = R"(
extern "C" __global__ void add(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += x[i];
})";

device_address address(const float* x) { return reinterpret_cast<device_address>(x); }

/// Enqueues a copy within the device, as a library would.
void copy_floats(CUstream s, const float* from, float* to, std::size_t n) {
  const auto copy = driver_function<int(device_address, device_address, std::size_t, CUstream)>("cuMemcpyDtoDAsync_v2");
  if (copy(address(to), address(from), n * sizeof(float), s) != 0) throw std::runtime_error("cuMemcpyDtoDAsync failed");
}
void copy_to_host(CUstream s, device_address from, void* to, std::size_t bytes) {
  const auto copy = driver_function<int(void*, device_address, std::size_t, CUstream)>("cuMemcpyDtoHAsync_v2");
  if (copy(to, from, bytes, s) != 0) throw std::runtime_error("cuMemcpyDtoHAsync failed");
}

void adopted_streams(cuda_module& cuda) {
  cuda_program p(cuda.devices().front().context);
  constexpr int n = 1000;
  std::vector<float> out(n, 1.5f), seen(n);
  const device_address memory = p.allocate(n * sizeof(float));
  p.to_device(memory, out.data(), n * sizeof(float));
  const event written = cuda.when(p.stream);
  const CUfunction scale = p.kernel("scale", scale_text);
  const event scaled = cuda.forasync(after(written), p.stream, box(0, n), scale, memory, 4.0f, n);
  const future<int> read = cuda.enqueue(after(scaled), name("read"), p.stream, [&](cuda_stream s) {
    check(s.context == cuda.devices().front().context, "a body gets the context of an adopted stream");
    copy_to_host(s, memory, seen.data(), n * sizeof(float));
    return 5;
  });
  check(read.get() == 5 && seen[0] == 6.0f && seen[n - 1] == 6.0f, "operations in an adopted stream");
  for (int i = 0; i < 20; ++i) cuda.forasync(p.stream, box(0, n), scale, memory, i % 2 ? 2.0f : 0.5f, n);
  wait(cuda.enqueue(p.stream, [&](CUstream s) { copy_to_host(s, memory, seen.data(), n * sizeof(float)); }));
  check(seen[17] == 6.0f, "operations without preconditions keep the order of the program");
  p.free(memory);
}

void lent_streams(cuda_module& cuda) {
  cuda_program p(cuda.devices().front().context);
  const place gpu = cuda.devices().front().processor, memory = cuda.devices().front().memory;
  const place ram = this_machine().places(place_kind::system_memory).front();
  constexpr int n = 1000;
  auto x = instance<float>::create(at(memory), box(0, n)).made, y = instance<float>::create(at(memory), box(0, n)).made;
  auto back = instance<float>::create(at(ram), box(0, n)).made;
  const CUfunction scale = p.kernel("scale", scale_text), add = p.kernel("add", add_text);
  const event filled = fill(x, 2.0f), also = fill(y, 1.0f);
  const event scaled = cuda.forasync(after(filled), at(gpu), box(0, n), scale, x, 10.0f, n);
  const event added = cuda.forasync(after(scaled, also), at(gpu), in_groups(box(0, 10), 100), add, only_read(x), y, n);
  const event moved = cuda.enqueue(
      after(added), at(gpu),
      [](cuda_stream s, const native_array<float>& from, const native_array<float>& to) {
        copy_floats(s, from.data + n / 2, to.data, n / 2);
      },
      only_read(y), x);
  wait(copy(x, back, after(moved)));
  check(back.view()(0) == 21.0f && back.view()(n - 1) == 20.0f, "a lent stream uses instances of its device");

  // A graph of two operations, captured once and launched in lent and adopted streams.
  const cuda_graph graph =
      cuda.capture(
              after(moved), at(gpu),
              [scale, add](cuda_stream s, const native_array<float>& from, const native_array<float>& to) {
                float by = 0.5f;
                int count = n;
                float *const a = from.data, *const b = to.data;
                devices::cuda_launch first(s, scale), second(s, add);
                first.set(a), first.set(by), first.set(count);
                first.enqueue(devices::driver_range(box(0, n)));
                second.set(a), second.set(b), second.set(count);
                second.enqueue(devices::driver_range(box(0, n)));
              },
              x, y)
          .get();
  wait(copy(x, back));
  check(back.view()(0) == 21.0f, "a capture runs nothing");
  const event zero = fill(x, 8.0f), none = fill(y, 0.0f);
  const event first = cuda.enqueue(after(zero, none), at(gpu), graph);
  const event second = cuda.enqueue(after(first), p.stream, graph);
  wait(copy(y, back, after(second)));
  check(back.view()(3) == 6.0f, "a graph is launched in any stream: 4 + 2");
  const auto other = [&] { graph(cuda_stream{p.stream, nullptr}); };
  check(codes_of(other) == "M34", "a graph is of one device");
  wait(merge({x.destroy(), y.destroy(), back.destroy()}));
}

void copies(cuda_module& cuda) {
  cuda_program p(cuda.devices().front().context);
  const place memory = cuda.devices().front().memory;
  std::vector<int> out(256), back(256);
  std::iota(out.begin(), out.end(), 0);
  const device_address own = p.allocate(2048);
  const native_memory first{.data = reinterpret_cast<void*>(own)}, second{.data = first.data, .offset_bytes = 1024};
  const event in = cuda.async_copy(memory, first, place{}, {.data = out.data()}, 1024);
  const event over = cuda.async_copy(memory, second, memory, first, 1024, after(in));
  wait(cuda.async_copy(place{}, {.data = back.data()}, memory, second, 1024, after(over)));
  check(out == back, "copies between host memory and memory of the program");
  p.free(own);
}

void failed_operations(cuda_module& cuda) {
  cuda_program p(cuda.devices().front().context);
  const place gpu = cuda.devices().front().processor;
  const place ram = this_machine().places(place_kind::system_memory).front();
  const CUfunction scale = p.kernel("scale", scale_text);
  const auto too_many = in_groups(box(0, 1), 5000);
  const device_address none = 0;
  check(codes_of([&] { wait(cuda.forasync(p.stream, too_many, scale, none, 1.0f, 0)); }) == "M34", "a refused launch");
  check(codes_of([&] { wait(cuda.forasync(at(gpu), too_many, scale, none, 1.0f, 0)); }) == "M34", "also when lent");
  check(codes_of([&] { cuda.enqueue(at(ram), [](cuda_stream) {}); }) == "M33", "a place of the host");
  const auto throws = [](cuda_stream) { throw std::runtime_error("mine"); };
  check(codes_of([&] { wait(cuda.enqueue(p.stream, throws)); }) == "mine",
        "the exception of a body is that of its event");
  check(codes_of([&] { wait(cuda.enqueue(at(gpu), throws)); }) == "mine", "also with a lent stream");
  check(codes_of([&] { cuda.capture(at(gpu), throws).get(); }) == "mine", "also of a capture");
  check(codes_of([&] { wait(cuda.enqueue(at(gpu), cuda_graph())); }) == "M34", "a default-made graph");
  const user_event never = user_event::create();
  std::atomic<int> ran{0};
  const event one = cuda.enqueue(after(never), p.stream, [&](cuda_stream) { ++ran; });
  const event other = cuda.enqueue(after(never), at(gpu), [&](cuda_stream) { ++ran; });
  never.poison(std::make_exception_ptr(std::runtime_error("cause")));
  check(codes_of([&] { wait(one); }) == "cause", "a poisoned precondition skips an adopted call");
  check(codes_of([&] { wait(other); }) == "cause" && ran == 0, "and a lent one");
}

void run_on_cuda(std::uint32_t workers) {
  auto cuda = std::make_shared<cuda_module>();
  runtime rt({.workers = workers, .devices = "cuda:1", .modules = {cuda}});
  rt.run([&] { adopted_streams(*cuda); });
  check(counted(rt, "adopted calls").count == 23, "adopted calls are counted");
  rt.run([&] { lent_streams(*cuda); });
  check(counted(rt, "lent calls", "cuda_0").count == 5, "lent calls are counted at their place");
  rt.run([&] { copies(*cuda); });
  check(counted(rt, "copies", "cuda_0").count == 4 && counted(rt, "copies", "cuda_0").bytes == 4096,
        "copies are counted");
  rt.run([&] { failed_operations(*cuda); });
}

/// How many devices of CUDA a runtime can open.
bool has_cuda() {
  runtime rt({.workers = 1, .devices = "cuda?"});
  bool any = false;
  for (const place p : rt.machine().places(place_kind::gpu)) any = any || rt.machine().name(p).starts_with("cuda_");
  return any;
}

}  // namespace

int main() {
  const bool is_there = has_cuda();
  if (!is_there) std::puts("no device of CUDA: tested on a simulated one only");
  check(is_there || !std::getenv("STRETTO_TEST_NEEDS_CUDA"), "a device of CUDA is needed");
  for (const std::uint32_t workers : {1u, 3u})
    if (is_there) run_on_cuda(workers);
  {
    auto cuda = std::make_shared<cuda_module>();
    runtime rt({.workers = 1, .devices = "sim", .modules = {cuda}});
    run_on_simulated_device(rt, *cuda);
    rt.run([&] {
      const place gpu = cuda->devices().front().processor;
      check(codes_of([&] { cuda->forasync(at(gpu), box(0, 1), CUfunction(), 1); }) == "M33",
            "no kernels of CUDA there");
      if (!driver_function<int()>("cuInit"))
        check(codes_of([&] { cuda->when(nullptr); }) == "M35", "the driver is missing");
      int ran = 0;
      const cuda_graph graph = cuda->capture(at(gpu), [&ran](cuda_stream) { ++ran; }).get();
      check(ran == 0, "a capture on a simulated device runs nothing");
      const event once = cuda->enqueue(at(gpu), graph);
      wait(cuda->enqueue(after(once), at(gpu), graph));
      check(ran == 2, "its body runs with each launch");
    });
  }
  if (is_there) {
    const auto conflict = [] {
      runtime rt({.workers = 1,
                  .devices = "cuda:1",
                  .modules = {std::make_shared<claiming_module>(), std::make_shared<cuda_module>()}});
    };
    check(codes_of(conflict) == "M03", "another module has claimed the device: " + codes_of(conflict));
    const auto count = driver_function<long(const char*)>("fake_cuda_get");
    // Two launches of failed_operations are refused, with each number of workers.
    if (count) check(count("misuse") == 4, "no other call was misused: " + std::to_string(count("misuse")));
    if (count) check(count("live") == 0, "nothing is left in the driver: " + std::to_string(count("live")));
  }
  std::puts(failures ? "the module of CUDA failed" : "the module of CUDA works");
  return failures != 0;
}
