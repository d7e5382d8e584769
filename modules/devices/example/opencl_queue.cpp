// A program with a queue, a kernel and a buffer of OpenCL: Stretto waits for its work, and computes behind it.
#include <stretto_devices/opencl_module.hpp>

#include <cstdio>

using namespace stretto;

int main() {
  auto cl = std::make_shared<opencl_module>();
  runtime rt({.devices = "opencl:1", .modules = {cl}});
  rt.run([&] {
    const native_device gpu = cl->devices().front();
    const auto context = static_cast<cl_context>(gpu.context);
    const auto device = static_cast<cl_device_id>(gpu.device);

    // The program as it was, but for its context.
    const cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
    const char* text = "__kernel void twice(__global int* x) { x[get_global_id(0)] *= 2; }";
    const cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
    clBuildProgram(program, 1, &device, "", nullptr, nullptr);
    const cl_kernel twice = clCreateKernel(program, "twice", nullptr);
    const cl_mem mine = clCreateBuffer(context, CL_MEM_READ_WRITE, 100 * sizeof(int), nullptr, nullptr);
    const int five = 5;
    clEnqueueFillBuffer(queue, mine, &five, sizeof five, 0, 100 * sizeof(int), 0, nullptr, nullptr);

    // Behind it: a kernel in the same queue, one in a queue of the device, and a task.
    const event filled = cl->when(queue);
    const event doubled = cl->forasync(after(filled), queue, box(0, 100), twice, mine);
    const auto x = instance<int>::external(at(gpu.memory), {.buffer = mine}, box(0, 100));
    const event again = cl->forasync(after(doubled), at(gpu.processor), box(0, 100), twice, x);
    int last = 0;
    const event read = cl->enqueue(after(again), queue, [&](opencl_queue q) {
      clEnqueueReadBuffer(q, mine, CL_FALSE, 99 * sizeof(int), sizeof last, &last, 0, nullptr, nullptr);
    });
    std::printf("%d\n", async(after(read), [&] { return last + 1; }).get());

    wait(x.destroy());
    clReleaseMemObject(mine), clReleaseKernel(twice), clReleaseProgram(program), clReleaseCommandQueue(queue);
  });
}
