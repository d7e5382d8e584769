// device_kernel.hpp - a region as the text of a kernel, in OpenCL C 1.2 or C++ for CUDA.
//
// Threads     pure.
// Invariants  a work-item runs one gang: its number is that in the first dimension. Gang k runs
//             iterations k, k + gangs, k + 2 * gangs, ... of a divided loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cc/acc/called_functions.hpp"
#include "cc/acc/device_dialect.hpp"
#include "cc/acc/device_parameter.hpp"
#include "cc/acc/region_plan.hpp"

namespace stretto::cc::acc {

struct device_kernel {
  std::string text;  // a whole program, with one kernel
  std::vector<device_parameter> parameters;
  bool uses_double = false;
  bool uses_long_atomics = false;  // on 8 bytes
};

/// The kernel, or the reason why the language cannot express the region: "it calls \"printf\"".
struct device_translation {
  std::optional<device_kernel> kernel;
  std::string reason;  // if there is none
};

/// A region in each language. Kernels of one region have the same parameters.
struct device_translations {
  device_translation opencl, cuda;
};

/// The kernel `name` of a region. A plan with is_single is for one work-item.
device_translation translate_for_device(device_language language, const std::string& name, const region_plan& plan,
                                        const statement& region, const preprocessed_text& source,
                                        const called_functions& functions);

}  // namespace stretto::cc::acc
