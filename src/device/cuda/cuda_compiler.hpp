// cuda_compiler.hpp - NVIDIA's runtime compiler for CUDA C++, NVRTC, loaded at run time.
//
// Threads     loaded once per library and kept; compile may be called from any thread.
// Cost        a kernel takes a tenth of a second to a second.
#pragma once

#include <stretto/kernel_code.hpp>

#include <memory>
#include <string>
#include <vector>

#include "device/cuda/cuda_abi.hpp"

namespace stretto::device::cuda {

struct compiler : nvrtc_functions {
  std::string library;
  int version = 0;                 // 12040: CUDA 12.4
  std::vector<int> architectures;  // 75, 80, ...: the supported architectures, ascending

  /// Throws K42 with the loader's reason or the missing function.
  static std::shared_ptr<const compiler> load(const std::string& library);
  /// Loads the first compiler in the usual places whose generation is not later than the driver's: the driver could
  /// not load the code of a later one. Throws K42 if there is none.
  static std::shared_ptr<const compiler> find(int driver_version);

  /// "sm_80" for devices of compute capability 8.0, or "compute_75" if the driver must translate the code for the
  /// device. Empty if neither is possible.
  std::string architecture_for(int capability) const;

  /// Compiles to the form that a driver loads. Throws K12 with the compiler's messages in the user's file and line.
  std::string compile(const kernel_code& code, const std::string& source, const std::vector<std::string>& flags,
                      const std::string& device) const;
};

/// The places that find searches, in order: the folders in CUDA_HOME and CUDA_PATH, the loader's, the usual one.
std::vector<std::string> usual_compilers();

/// The compiler's log, each line as "file:line: error: text", without the number of errors at the end.
std::string readable_log(const std::string& log);

}  // namespace stretto::device::cuda
