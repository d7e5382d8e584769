// device_tables.hpp - a region's kernel for devices as tables of C, which the launch passes to the runtime.
//
// Threads     pure.
#pragma once

#include <string>

#include "cc/acc/device_kernel.hpp"
#include "cc/acc/region_plan.hpp"

namespace stretto::cc::acc {

/// Definitions at file scope; `name` is that of the kernel, and of the table with _device behind it.
std::string device_tables(const std::string& name, const region_plan& plan, const device_translations& of);

/// A literal of C.
std::string literal_text(const std::string& text);

}  // namespace stretto::cc::acc
