// opencl_chain.cpp - StarPU: empty kernels on one OpenCL device; one worker of StarPU's drives it.
#include "peers/starpu/opencl_chain.hpp"

#include <starpu.h>

namespace {

starpu_opencl_program program;

void enqueue_nothing(void** buffers, void*) {
  const int device = starpu_worker_get_devid(starpu_worker_get_id());
  cl_kernel kernel = nullptr;
  cl_command_queue queue = nullptr;
  if (starpu_opencl_load_kernel(&kernel, &queue, &program, "nothing", device) != CL_SUCCESS)
    throw bench::unsupported("no kernel");
  const auto x = reinterpret_cast<cl_mem>(STARPU_VARIABLE_GET_DEV_HANDLE(buffers[0]));
  const std::size_t one = 1;
  clSetKernelArg(kernel, 0, sizeof x, &x);
  clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr);
  starpu_opencl_release_kernel(kernel);
}

}  // namespace

bench::outcome time_chain_on_opencl(const bench::options& o) {
  if (starpu_opencl_worker_get_count() == 0) throw bench::unsupported("StarPU finds no OpenCL device");
  starpu_opencl_load_opencl_from_string("kernel void nothing(global int* x) {}", &program, nullptr);
  starpu_codelet kind;
  starpu_codelet_init(&kind);
  kind.opencl_funcs[0] = enqueue_nothing;
  kind.opencl_flags[0] = STARPU_OPENCL_ASYNC;
  kind.nbuffers = 1;
  kind.modes[0] = STARPU_RW;
  kind.name = "nothing";
  int value = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(&value), sizeof value);
  const auto run = [&](long count) {
    for (long i = 0; i < count; ++i) {
      starpu_task* task = starpu_task_create();
      task->cl = &kind;
      task->handles[0] = handle;
      if (starpu_task_submit(task) != 0) throw bench::unsupported("StarPU took no task");
    }
    starpu_task_wait_for_all();
  };
  run(10);
  const bench::stopwatch clock;
  run(o.size);
  const double us = clock.seconds() * 1e6 / static_cast<double>(o.size);
  starpu_data_unregister(handle);
  starpu_opencl_unload_opencl(&program);
  return {us};
}
