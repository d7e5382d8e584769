#include "device/cuda/cuda_native.hpp"

#include <fmt/format.h>

#include <sstream>

#include "device/cuda/cuda_memories.hpp"

namespace stretto::device::cuda {

cuda_native::cuda_native(const kernel_code& code, std::shared_ptr<driver> d)
    : compiled_kernel(code), driver_(std::move(d)) {
  const native_code& from = code.native->cuda;
  if (code.native->has_calls(native_call::kind::cuda)) return;
  if (from.is == native_code::form::none) throw without_code(code, driver_->identity);
  const current_context current(*driver_->cu, driver_->context);
  load(from);
  query_attributes(*driver_, code, loaded_);
  try {
    require_parameters(from);
  } catch (...) {
    driver_->cu->cuModuleUnload(loaded_.module);
    throw;
  }
}

cuda_native::~cuda_native() {
  if (!loaded_.module) return;
  const current_context current(*driver_->cu, driver_->context);
  driver_->cu->cuModuleUnload(loaded_.module);
}

void cuda_native::load(const native_code& from) {
  const api& cu = *driver_->cu;
  std::string image = content_of(from, code);
  if (from.is == native_code::form::text || from.is == native_code::form::file) {
    std::vector<std::string> flags{"--gpu-architecture=" + driver_->architecture};
    std::istringstream words(from.options);
    for (std::string one; words >> one;) flags.push_back(one);
    const std::string key = fmt::format("cuda native\n{}\n{}\n{}", driver_->identity, fmt::join(flags, " "), image);
    const auto kept = driver_->cache.find(key);
    const std::string source = std::move(image);
    image = kept ? *kept : driver_->nvrtc->compile(code, source, flags, driver_->identity);
    if (!kept) driver_->cache.put(key, image);
  }
  driver_->check(cu.cuModuleLoadData(&loaded_.module, image.c_str()),
                 fmt::format("to load the code of kernel \"{}\" from {}", code.name, origin_of(from, code)));
  const CUresult status = cu.cuModuleGetFunction(&loaded_.function, loaded_.module, entry_of(from, code).c_str());
  if (status == CUDA_SUCCESS) return;
  cu.cuModuleUnload(std::exchange(loaded_.module, nullptr));
  if (status == CUDA_ERROR_NOT_FOUND) throw without_entry(from, code, {});
  driver_->check(status, "cuModuleGetFunction");
}

void cuda_native::require_parameters(const native_code& from) const {
  const auto info = driver_->cu->cuFuncGetParamInfo;
  if (!info) return;  // the driver does not report parameters
  std::size_t there = 0, wanted = 0, offset = 0, bytes = 0;
  while (info(loaded_.function, there, &offset, &bytes) == CUDA_SUCCESS) ++there;
  for (const kernel_parameter& p : code.parameters)
    wanted += p.mode == access::local ? 0 : is_array(p) && code.native->with_layouts ? 2 : 1;
  if (there != wanted) throw wrong_count(from, code, wanted, there);
}

native_arguments::native_arguments(const kernel_code& code, std::span<const launch_argument> given) {
  words_.reserve(given.size());  // pointers into it must stay valid
  layouts_.reserve(given.size());
  pointers_.reserve(2 * given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const kernel_parameter& p = code.parameters[i];
    const kernel_argument& a = given[i].is;
    if (p.mode == access::value) {
      pointers_.push_back(a.origin);
    } else if (p.mode == access::local) {
      local_bytes_ = (local_bytes_ + p.alignment - 1) / p.alignment * p.alignment;
      local_bytes_ += static_cast<std::uint64_t>(std::max<std::int64_t>(a.max[0], 0)) * p.element_bytes;
    } else {
      std::byte* const first = code.native->with_layouts || !given[i].bytes ? given[i].first : first_of(given[i], p);
      pointers_.push_back(&words_.emplace_back(reinterpret_cast<std::uintptr_t>(locate(first).address)));
      if (code.native->with_layouts) pointers_.push_back(&layouts_.emplace_back(layout_of(given[i], p)));
    }
  }
}

}  // namespace stretto::device::cuda
