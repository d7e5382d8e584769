#include <stretto_devices/cuda_module.hpp>

#include <cstring>
#include <utility>

#include "cuda_library.hpp"
#include "engine.hpp"

namespace stretto {
namespace devices {
namespace {

constexpr unsigned threads_of_block = 128;

CUcontext context_of(CUstream s) {
  const cuda_library& cu = cuda_library::get();
  CUcontext context = nullptr;
  cu.check("cuStreamGetCtx", cu.cuStreamGetCtx(s, &context));
  return context;
}

/// An event that was recorded in a stream.
class cuda_point final : public queue_point {
 public:
  explicit cuda_point(CUcontext c) : cu_(cuda_library::get()), context_(c) {
    cu_.check("cuEventCreate", cu_.cuEventCreate(&event_, event_disable_timing));
  }
  ~cuda_point() override { cu_.cuEventDestroy(event_); }
  void record(CUstream s) { cu_.check("cuEventRecord", cu_.cuEventRecord(event_, s)); }

  bool is_passed(std::exception_ptr& failure) noexcept override {
    try {
      const current_cuda_context current(context_);
      const int status = cu_.cuEventQuery(event_);
      if (status == cuda_not_ready) return false;
      cu_.check("an operation of the stream", status);
    } catch (...) {
      failure = std::current_exception();
    }
    return true;
  }

 private:
  const cuda_library& cu_;
  const CUcontext context_;
  CUevent event_ = nullptr;
};

class cuda_engine final : public engine {
 public:
  cuda_engine() : engine("cuda", "CUDA", native_call::kind::cuda) {}

  void call_at(void* queue, const std::function<void()>& body) override {
    const current_cuda_context current(context_of(static_cast<CUstream>(queue)));
    body();
  }

 private:
  std::unique_ptr<queue_point> mark(void* queue) override {
    const auto s = static_cast<CUstream>(queue);
    const CUcontext context = context_of(s);
    const current_cuda_context current(context);
    auto made = std::make_unique<cuda_point>(context);
    made->record(s);
    return made;
  }
};

}  // namespace

cuda_stream cuda_driver::queue_of(const native_call& lent) noexcept {
  return {static_cast<CUstream>(lent.queue), static_cast<CUcontext>(lent.context)};
}
cuda_stream cuda_driver::queue_of(CUstream adopted) { return {adopted, context_of(adopted)}; }

void cuda_launch::set_bytes(std::size_t bytes, const void* value) {
  auto& kept = values_.emplace_back((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  std::memcpy(kept.data(), value, bytes);
}

void cuda_launch::enqueue(const driver_range& r) {
  unsigned grid[3], block[3];
  for (int i = 0; i < 3; ++i) {
    const std::size_t in_block = r.is_of_groups ? r.group[i] : i == 0 ? threads_of_block : 1;
    const std::size_t blocks = r.is_of_groups ? r.items[i] : (r.items[i] + in_block - 1) / in_block;
    if (blocks == 0) return;
    grid[i] = static_cast<unsigned>(blocks), block[i] = static_cast<unsigned>(in_block);
  }
  std::vector<void*> at;
  for (auto& v : values_) at.push_back(v.data());
  const cuda_library& cu = cuda_library::get();
  cu.check("cuLaunchKernel", cu.cuLaunchKernel(function_, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                               shared_bytes_, stream_, at.data(), nullptr));
}

}  // namespace devices

cuda_module::cuda_module() : device_module(std::make_shared<devices::cuda_engine>()) {}

}  // namespace stretto
