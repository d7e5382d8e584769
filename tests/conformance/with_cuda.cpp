// The CUDA backend twice: with this machine's driver, if it has one, and with the fake driver of the tests.
#include <doctest/doctest.h>

#include <utility>

#include "conformance/devices.hpp"
#include "device/cuda/cuda_api.hpp"
#include "device/cuda/cuda_compiler.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/fake_driver.hpp"

namespace stretto::device {

namespace {

void add(std::vector<candidate>& all, const std::string& name, const cuda::options& o, std::size_t i,
         std::size_t devices) {
  const auto make = [o](std::size_t n) { return usable(cuda::find(o), n); };
  candidate c{name, [make, i] { return make(i); }, {}};
  c.copies = [o](const native_call& on, native_array<const float> from, native_array<float> to, std::int64_t bytes) {
    const auto cu = cuda::api::load(o.library);
    CHECK(on.is == native_call::kind::cuda);
    const auto pointer = [](const float* p) {
      return static_cast<cuda::CUdeviceptr>(reinterpret_cast<std::uintptr_t>(p));
    };
    cu->check(cu->cuMemcpyDtoDAsync(pointer(to.data), pointer(from.data), static_cast<std::size_t>(bytes),
                                    static_cast<cuda::CUstream>(on.queue)),
              "cuMemcpyDtoDAsync");
  };
  c.memory = [o](const native_call& on, std::size_t bytes) {
    const auto cu = cuda::api::load(o.library);
    const auto context = static_cast<cuda::CUcontext>(on.context);
    const auto in_context = [cu, context](auto&& body) {
      const cuda::current_context current(*cu, context);
      cu->check(body(), "the driver");
    };
    cuda::CUdeviceptr at = 0;
    cuda::CUstream stream = nullptr;
    in_context([&] { return cu->cuMemAlloc(&at, bytes); });
    in_context([&] { return cu->cuStreamCreate(&stream, cuda::CU_STREAM_NON_BLOCKING); });
    void* const first = reinterpret_cast<void*>(static_cast<std::uintptr_t>(at));
    std::shared_ptr<const void> kept(first, [=](const void*) {
      in_context([&] { return cu->cuStreamDestroy(stream); });
      in_context([&] { return cu->cuMemFree(at); });
    });
    const auto moved = [=](auto&& call) {
      in_context(call);
      in_context([&] { return cu->cuStreamSynchronize(stream); });
    };
    return memory_of_program{
        {.data = first},
        std::move(kept),
        [=](const void* from, std::size_t n) { moved([&] { return cu->cuMemcpyHtoDAsync(at, from, n, stream); }); },
        [=](void* to, std::size_t n) { moved([&] { return cu->cuMemcpyDtoHAsync(to, at, n, stream); }); }};
  };
  c.compiled = [o, i](const std::string& source) {
    static const kernel_code none{};
    const auto cu = cuda::api::load(o.library);
    const auto nvrtc = o.compiler.empty() ? cuda::compiler::find(cu->version) : cuda::compiler::load(o.compiler);
    int major = 0, minor = 0;
    cu->check(cu->cuDeviceGetAttribute(&major, cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, static_cast<int>(i)),
              "cuDeviceGetAttribute");
    cu->check(cu->cuDeviceGetAttribute(&minor, cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, static_cast<int>(i)),
              "cuDeviceGetAttribute");
    return nvrtc->compile(none, source, {"--gpu-architecture=" + nvrtc->architecture_for(10 * major + minor)},
                          "a test");
  };
  // A second device only if the two can access one another.
  if (devices > 1 && make(0)->reaches(*make(1)))
    c.make_two = [o] {
      auto all_found = cuda::find(o);
      return std::pair(std::move(all_found.at(0).is), std::move(all_found.at(1).is));
    };
  all.push_back(std::move(c));
}

}  // namespace

std::vector<candidate> cuda_candidates() {
  std::vector<candidate> all;
  cuda::options o;
  o.memory_bytes = 64 << 20;
  o.host_memory_bytes = 1 << 20;
  static const std::vector<std::string> there = usable(cuda::find(o));
  for (std::size_t i = 0; i < there.size(); ++i)
    if (!there[i].empty()) add(all, "cuda " + there[i], o, i, there.size());
  add(all, "cuda with a fake driver", test::fake_driver_options(), 0, 2);
  cuda::options of_blocks = test::fake_driver_options();
  of_blocks.pool = false;
  add(all, "cuda with a fake driver, without a pool", of_blocks, 0, 2);
  cuda::options by_events = test::fake_driver_options();
  by_events.flags = false;
  add(all, "cuda with a fake driver, told by events", by_events, 0, 2);
  return all;
}

}  // namespace stretto::device
