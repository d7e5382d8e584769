// cuda_compiler.hpp - NVIDIA's compiler for CUDA C++ text, NVRTC, found at run time.
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
  std::vector<int> architectures;  // 75, 80, ...: what it can compile for, ascending

  /// Throws K42 with the loader's reason or the function that it lacks.
  static std::shared_ptr<const compiler> load(const std::string& library);
  /// The first of the usual places whose compiler is not of a later generation than the driver, which could not load what it
  /// makes. Throws K42 where there is none.
  static std::shared_ptr<const compiler> find(int driver_version);

  /// "sm_80": code for devices of compute capability 8.0, or "compute_75" if the driver must translate for it. Empty: neither.
  std::string architecture_for(int capability) const;

  /// What a driver loads. Throws K12 with the compiler's words in the user's file and line.
  std::string compile(const kernel_code& code, const std::string& source, const std::vector<std::string>& flags,
                      const std::string& device) const;
};

/// Where find looks, in order: the folders that CUDA_HOME and CUDA_PATH name, the loader's, the usual one.
std::vector<std::string> usual_compilers();

/// The compiler's words, each line as "file:line: error: text", without the count of errors at the end.
std::string readable_log(const std::string& log);

}  // namespace stretto::device::cuda
