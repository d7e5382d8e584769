#include "device/cuda/cuda_program.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stretto::device::cuda {

namespace {

int axes_of(const kernel_code& code) {
  int most = 1;
  for (const kernel_parameter& p : code.parameters) most = std::max<int>(most, p.dimensions);
  return most;
}

}  // namespace

std::vector<std::string> flags_of(variant v, const std::string& architecture) {
  // Contraction is off, so that devices and host give equal results. Warnings are off: they would concern unused
  // parts of the prelude.
  std::vector<std::string> flags{"--gpu-architecture=" + architecture,
                                 "--std=c++14",
                                 "--fmad=false",
                                 "--disable-warnings",
                                 fmt::format("-DSTRETTO_DIMENSIONS={}", v.dimensions),
                                 fmt::format("-DSTRETTO_INDEXING={}", static_cast<int>(v.elements))};
  if (v.blocks != counting::by_axis)
    flags.push_back(fmt::format("-DSTRETTO_BLOCKS_IN_LINE={}", v.blocks == counting::groups_in_line ? 2 : 1));
  return flags;
}

cuda_program::cuda_program(const kernel_code& code, std::shared_ptr<driver> d)
    : compiled_kernel(code),
      driver_(std::move(d)),
      text_(text_for(code, dialect::cuda, driver_->check_kernels)),
      locks_(text_.needs_locks ? driver_->locks() : 0) {
  const loaded_kernel& usual = function_for({axes_of(code)});
  if (code.in_groups) needs_ = usual.needs();
  most_items_ = usual.most_items;
}

void cuda_program::check_range(const device& on, const launch_range& r) const {
  if (r.items() > 0) fitting(on, code, r, most_items_);
}

cuda_program::~cuda_program() {
  const api& cu = *driver_->cu;
  const current_context current(cu, driver_->context);
  for (const auto& [v, kernel] : loaded_) cu.cuModuleUnload(kernel.module);
}

const loaded_kernel& cuda_program::function_for(variant v) const {
  std::scoped_lock lock(mutex_);
  const auto found = loaded_.find(v);
  return found != loaded_.end() ? found->second : loaded_.emplace(v, build(v)).first->second;
}

loaded_kernel cuda_program::build(variant v) const {
  std::vector<std::string> flags = flags_of(v, driver_->architecture);
  if (code.denormals_are_zero) flags.push_back("--ftz=true");
  const std::string key = fmt::format("cuda\n{}\n{}\n{}", driver_->identity, fmt::join(flags, " "), text_.source);
  const api& cu = *driver_->cu;
  const current_context current(cu, driver_->context);
  loaded_kernel made;
  // A cached binary that cannot be loaded is damaged or belongs to a replaced driver: compile again.
  if (const auto kept = driver_->cache.find(key); !kept || load(*kept, made) != CUDA_SUCCESS) {
    const std::string image = driver_->nvrtc->compile(code, text_.source, flags, driver_->identity);
    driver_->check(load(image, made), fmt::format("to load the code of kernel \"{}\"", code.name));
    driver_->cache.put(key, image);
  }
  query_attributes(*driver_, code, made);
  return made;
}

void query_attributes(driver& d, const kernel_code& code, loaded_kernel& k) {
  const api& cu = *d.cu;
  const bool has_local = std::any_of(code.parameters.begin(), code.parameters.end(),
                                     [](const kernel_parameter& p) { return p.mode == access::local; });
  CUresult status = cu.cuFuncGetAttribute(&k.local_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, k.function);
  if (status == CUDA_SUCCESS)
    status = cu.cuFuncGetAttribute(&k.most_items, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k.function);
  // Dynamic shared memory beyond 48 KiB must be enabled for each function.
  if (status == CUDA_SUCCESS && has_local)
    status = cu.cuFuncSetAttribute(k.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   std::max(d.most_local_bytes - k.local_bytes, 0));
  if (status == CUDA_SUCCESS) return;
  cu.cuModuleUnload(k.module);
  d.check(status, fmt::format("the attributes of kernel \"{}\"", code.name));
}

CUresult cuda_program::load(const std::string& image, loaded_kernel& into) const {
  const api& cu = *driver_->cu;
  CUresult status = cu.cuModuleLoadData(&into.module, image.c_str());
  if (status != CUDA_SUCCESS) return status;
  status = cu.cuModuleGetFunction(&into.function, into.module, text_.entry.c_str());
  if (status != CUDA_SUCCESS) cu.cuModuleUnload(into.module);
  return status;
}

}  // namespace stretto::device::cuda
