// fake_streams.cpp - the driver's streams: a thread each, operations in order, copies, fills, kernels and events.
//
// Threads     any.
// Invariants  a kernel's fault ends its device for ever: every call answers with it, and work that is left is dropped.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include "fake_state.hpp"

namespace stretto::device::cuda {

namespace {

void run_stream(CUstream s) {
  whole_driver& d = all();
  std::unique_lock lock(d.mutex);
  for (;;) {
    d.changed.wait(lock, [&] { return s->ending || !s->work.empty(); });
    if (s->work.empty()) return;
    const auto work = std::move(s->work.front());
    s->work.pop_front();
    s->busy = true;
    const bool lost = s->context->lost != CUDA_SUCCESS;
    lock.unlock();
    const int status = lost ? CUDA_SUCCESS : work();
    lock.lock();
    if (status && !s->context->lost) s->context->lost = status;
    s->busy = false;
    d.changed.notify_all();
  }
}

int enqueue(CUstream s, std::function<int()> work) {
  if (s->captured) return s->captured->work.push_back(std::move(work)), CUDA_SUCCESS;
  s->work.push_back(std::move(work));
  all().changed.notify_all();
  return CUDA_SUCCESS;
}

struct end_of_copy {
  std::byte* first;
  CUcontext context;  // null: host
  std::size_t pitch, plane;
};

int copy(CUstream s, end_of_copy from, end_of_copy to, std::size_t width, std::size_t rows, std::size_t planes) {
  whole_driver& d = all();
  std::scoped_lock lock(d.mutex);
  CUcontext c = nullptr;
  if (const int status = context_of(s, c)) return status;
  if (!width || !rows || !planes) return CUDA_SUCCESS;
  for (const end_of_copy* e : {&from, &to}) {
    if ((rows > 1 && e->pitch < width) || (planes > 1 && e->plane < rows * e->pitch)) return misused(invalid_value);
    if (!is_in(e->context, reinterpret_cast<std::uintptr_t>(e->first),
               (planes - 1) * e->plane + (rows - 1) * e->pitch + width))
      return misused(invalid_value);
  }
  const auto pitch = static_cast<std::size_t>(d.setting("pitch"));
  if (pitch && from.context && to.context && rows > 1 && (from.pitch % pitch || to.pitch % pitch)) return invalid_value;
  ++d.counts["copies"];
  ++d.counts[!to.context ? "copies to the host" : !from.context ? "copies to devices" : "copies of devices"];
  return enqueue(s, [=] {
    for (std::size_t p = 0; p < planes; ++p)
      for (std::size_t r = 0; r < rows; ++r)
        std::memcpy(to.first + p * to.plane + r * to.pitch, from.first + p * from.plane + r * from.pitch, width);
    return CUDA_SUCCESS;
  });
}

template <class T>
int fill(CUstream s, CUdeviceptr at, std::size_t pitch, T value, std::size_t count, std::size_t rows) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of(s, c)) return status;
  if (!count || !rows) return CUDA_SUCCESS;
  if (at % sizeof(T) || pitch % sizeof(T) || (rows > 1 && pitch < count * sizeof(T)) ||
      !is_in(c, at, (rows - 1) * pitch + count * sizeof(T)))
    return misused(invalid_value);
  return enqueue(s, [=] {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < count; ++i)
        std::memcpy(pointer(at) + r * pitch + i * sizeof(T), &value, sizeof value);
    return CUDA_SUCCESS;
  });
}

/// With the lock held: nothing of the stream is left to do.
void wait_until_empty(std::unique_lock<std::mutex>& lock, CUstream s) {
  all().changed.wait(lock, [&] { return s->work.empty() && !s->busy; });
}

}  // namespace

extern "C" {

int cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream s) {
  return copy(s, {static_cast<std::byte*>(const_cast<void*>(from)), nullptr, 0, 0}, {pointer(to), s->context, 0, 0},
              bytes, 1, 1);
}
int cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream s) {
  return copy(s, {pointer(from), s->context, 0, 0}, {static_cast<std::byte*>(to), nullptr, 0, 0}, bytes, 1, 1);
}
int cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream s) {
  return copy(s, {pointer(from), s->context, 0, 0}, {pointer(to), s->context, 0, 0}, bytes, 1, 1);
}
int cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, std::size_t bytes,
                      CUstream s) {
  return copy(s, {pointer(from), from_context, 0, 0}, {pointer(to), to_context, 0, 0}, bytes, 1, 1);
}
int cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* c, CUstream s) {
  const auto end = [&](unsigned type, const void* host, CUdeviceptr device, std::size_t pitch) {
    return type == CU_MEMORYTYPE_HOST ? end_of_copy{static_cast<std::byte*>(const_cast<void*>(host)), nullptr, pitch, 0}
                                      : end_of_copy{pointer(device), s->context, pitch, 0};
  };
  return copy(s, end(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcPitch),
              end(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstPitch), c->WidthInBytes, c->Height, 1);
}
int cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* c, CUstream s) {
  const auto end = [](unsigned type, const void* host, CUdeviceptr device, CUcontext context, std::size_t pitch,
                      std::size_t height) {
    return type == CU_MEMORYTYPE_HOST
               ? end_of_copy{static_cast<std::byte*>(const_cast<void*>(host)), nullptr, pitch, pitch * height}
               : end_of_copy{pointer(device), context, pitch, pitch * height};
  };
  return copy(s, end(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcContext, c->srcPitch, c->srcHeight),
              end(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstContext, c->dstPitch, c->dstHeight),
              c->WidthInBytes, c->Height, c->Depth);
}
int cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D_PEER* c, CUstream s) {
  if (c->srcContext || c->dstContext) return invalid_value;  // reserved there
  CUDA_MEMCPY3D_PEER same = *c;
  same.srcContext = same.dstContext = s->context;
  return cuMemcpy3DPeerAsync(&same, s);
}
int cuMemsetD8Async(CUdeviceptr at, unsigned char v, std::size_t n, CUstream s) { return fill(s, at, 0, v, n, 1); }
int cuMemsetD16Async(CUdeviceptr at, unsigned short v, std::size_t n, CUstream s) { return fill(s, at, 0, v, n, 1); }
int cuMemsetD32Async(CUdeviceptr at, unsigned v, std::size_t n, CUstream s) { return fill(s, at, 0, v, n, 1); }
int cuMemsetD2D8Async(CUdeviceptr at, std::size_t pitch, unsigned char v, std::size_t n, std::size_t rows, CUstream s) {
  return fill(s, at, pitch, v, n, rows);
}
int cuMemsetD2D16Async(CUdeviceptr at, std::size_t pitch, unsigned short v, std::size_t n, std::size_t rows,
                       CUstream s) {
  return fill(s, at, pitch, v, n, rows);
}
int cuMemsetD2D32Async(CUdeviceptr at, std::size_t pitch, unsigned v, std::size_t n, std::size_t rows, CUstream s) {
  return fill(s, at, pitch, v, n, rows);
}

int cuStreamCreate(CUstream* made, unsigned flags) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of_caller(c)) return status;
  if (flags != CU_STREAM_NON_BLOCKING) return misused(invalid_value);
  if (const long status = all().setting("stream")) return static_cast<int>(status);
  *made = new CUstream_st;
  (*made)->context = c;
  all().handles.insert(*made);
  (*made)->thread = std::thread(run_stream, *made);
  return CUDA_SUCCESS;
}
int cuStreamGetCtx(CUstream s, CUcontext* its) {
  std::scoped_lock lock(all().mutex);
  if (!all().handles.contains(s)) return misused(invalid_handle);
  return *its = s->context, CUDA_SUCCESS;
}
int cuStreamDestroy_v2(CUstream s) {
  {
    std::scoped_lock lock(all().mutex);
    if (!all().handles.contains(s) || current.empty() || current.back() != s->context) return misused(invalid_handle);
    all().handles.erase(s);
    s->ending = true;
  }
  all().changed.notify_all();
  s->thread.join();
  delete s;
  return CUDA_SUCCESS;
}
int cuStreamSynchronize(CUstream s) {
  std::unique_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of(s, c); status && !(c && c->lost)) return status;
  wait_until_empty(lock, s);
  return s->context->lost;
}
int cuStreamQuery(CUstream s) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of(s, c)) return status;
  return s->work.empty() && !s->busy ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
int cuStreamWriteValue32_v2(CUstream s, CUdeviceptr at, std::uint32_t value, unsigned flags) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of(s, c)) return status;
  if (const long status = all().setting("write")) return static_cast<int>(status);
  const auto after = all().memory.upper_bound(at);
  const bool is_allocated =
      after != all().memory.begin() && at + sizeof value <= std::prev(after)->first + std::prev(after)->second.bytes;
  if (flags || at % sizeof value || !is_allocated) return misused(invalid_value);
  return enqueue(s, [at, value] {
    std::atomic_ref(*reinterpret_cast<std::uint32_t*>(pointer(at))).store(value, std::memory_order_release);
    return CUDA_SUCCESS;
  });
}
int cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of(s, c)) return status;
  if (flags || !all().handles.contains(e)) return misused(invalid_handle);
  if (!e->last) return CUDA_SUCCESS;
  return enqueue(s, [s, at = e->last] {
    std::unique_lock waiting(all().mutex);
    all().changed.wait(waiting, [&] { return at->passed || s->context->lost; });
    return 0;
  });
}

int cuStreamBeginCapture_v2(CUstream s, unsigned mode) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of(s, c)) return status;
  if (mode > 2 || s->captured) return misused(invalid_value);
  s->captured = new CUgraph_st{c, {}};
  all().handles.insert(s->captured);
  return CUDA_SUCCESS;
}
int cuStreamEndCapture(CUstream s, CUgraph_st** made) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of(s, c)) return status;
  if (!s->captured) return misused(invalid_value);
  ++all().counts["graphs"];
  return *made = std::exchange(s->captured, nullptr), CUDA_SUCCESS;
}
int cuGraphInstantiateWithFlags(CUgraph_st** made, CUgraph_st* from, unsigned long long flags) {
  std::scoped_lock lock(all().mutex);
  if (!all().handles.contains(from)) return misused(invalid_handle);
  if (flags) return misused(invalid_value);
  *made = new CUgraph_st(*from);
  all().handles.insert(*made);
  return CUDA_SUCCESS;
}
int cuGraphLaunch(CUgraph_st* g, CUstream s) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of(s, c)) return status;
  if (!all().handles.contains(g) || g->context != c) return misused(invalid_handle);
  ++all().counts["graph launches"];
  for (const auto& work : g->work) enqueue(s, work);
  return CUDA_SUCCESS;
}
int cuGraphDestroy(CUgraph_st* g) {
  std::scoped_lock lock(all().mutex);
  if (!all().handles.erase(g)) return misused(invalid_handle);
  delete g;
  return CUDA_SUCCESS;
}
int cuGraphExecDestroy(CUgraph_st* g) { return cuGraphDestroy(g); }

int cuEventCreate(CUevent* made, unsigned flags) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of_caller(c)) return status;
  if (flags != CU_EVENT_DISABLE_TIMING) return misused(invalid_value);
  *made = new CUevent_st{c, nullptr};
  all().handles.insert(*made);
  return CUDA_SUCCESS;
}
int cuEventDestroy_v2(CUevent e) {
  std::scoped_lock lock(all().mutex);
  if (!all().handles.erase(e)) return misused(invalid_handle);
  delete e;
  return CUDA_SUCCESS;
}
int cuEventRecord(CUevent e, CUstream s) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of(s, c)) return status;
  if (!all().handles.contains(e) || e->context != c) return misused(invalid_handle);
  e->last = std::make_shared<point>();
  return enqueue(s, [at = e->last]() -> int {
    std::scoped_lock passing(all().mutex);
    at->passed = true;
    return CUDA_SUCCESS;
  });
}
int cuEventQuery(CUevent e) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of_caller(c)) return status;
  if (!all().handles.contains(e) || e->context != c) return misused(invalid_handle);
  return !e->last || e->last->passed ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

int cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, CUstream s, void** parameters, void** extra) {
  whole_driver& d = all();
  std::scoped_lock lock(d.mutex);
  CUcontext c = nullptr;
  if (const int status = context_of(s, c)) return status;
  if (!d.handles.contains(f) || f->module->context != c) return misused(invalid_handle);
  if (extra || !gx || !gy || !gz || gy > 65535 || gz > 65535 || !bx || !by || !bz || bz > 64 || bx * by * bz > 1024 ||
      static_cast<int>(shared) > f->most_dynamic)
    return misused(invalid_value);
  if (const long status = std::exchange(d.settings["launch"], 0)) return static_cast<int>(status);
  ++d.counts["launches"];
  const bool faulty = d.setting("fault") > 0 && --d.settings["fault"] == 0;
  std::vector<std::vector<unsigned long long>> values;
  for (unsigned i = 0; i < f->count; ++i) {
    auto& one = values.emplace_back((f->sizes[i] + 7) / 8);
    std::memcpy(one.data(), parameters[i], f->sizes[i]);
  }
  return enqueue(
      s, [run = f->run, values = std::move(values), faulty, shared, gx, gy, gz, bx, by, bz]() mutable -> int {
        if (faulty) return CUDA_ERROR_ILLEGAL_ADDRESS;
        std::vector<void*> at;
        for (auto& v : values) at.push_back(v.data());
        const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
        const int wrong = run(at.data(), grid, block, shared);
        return wrong == 0 ? CUDA_SUCCESS : wrong == 1 ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_ERROR_LAUNCH_FAILED;
      });
}

}  // extern "C"

}  // namespace stretto::device::cuda
