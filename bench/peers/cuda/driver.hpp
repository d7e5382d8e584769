// driver.hpp - the CUDA driver API and NVRTC, loaded at run time without their headers: the first device, kernels,
// memory, streams.
//
// Threads     the one that made the first call: its context is current there.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "device/cuda/cuda_abi.hpp"

namespace cuda {

using namespace stretto::device::cuda;

/// The first device. Throws bench::unsupported with what is missing, once and whenever asked again.
class driver : public driver_functions {
 public:
  static const driver& first();

  void check(CUresult status, const char* what) const;
  /// Of a program with one kernel. Lasts as long as the process.
  CUfunction compile(const char* text, const char* name) const;

 private:
  driver();

  nvrtc_functions nvrtc_;
  std::string compiler_, architecture_;
  bool is_translated_ = false;  // by the driver: the device is newer than the compiler
};

/// Memory of the device, or of the host and page-locked; and a stream: freed with their scope.
class memory {
 public:
  explicit memory(std::size_t bytes);
  memory(const memory&) = delete;
  ~memory();
  CUdeviceptr at = 0;
};
class locked_floats {
 public:
  locked_floats(std::size_t count, float value);
  locked_floats(const locked_floats&) = delete;
  ~locked_floats();
  float* data() const noexcept { return first_; }

 private:
  float* first_ = nullptr;
};
class stream {
 public:
  stream();
  stream(const stream&) = delete;
  ~stream();
  void finish() const;
  CUstream handle = nullptr;
};

}  // namespace cuda
