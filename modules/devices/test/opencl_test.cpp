// Queues of OpenCL, adopted and lent, with 1 and 3 workers; prints what failed and exits with 1.
#include <dlfcn.h>
#include <stretto_devices/opencl_module.hpp>

#include <atomic>
#include <chrono>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>

#include "checks.hpp"

using namespace stretto;

namespace {
std::atomic<bool> commands_fail{false};
}

// The module's question for the state of a command, in place of the library's: PoCL 3.1 ends the process when a command
// fails.
extern "C" cl_int clGetEventInfo(cl_event e, cl_event_info what, std::size_t bytes, void* to, std::size_t* needed) {
  static const auto ask = reinterpret_cast<decltype(&clGetEventInfo)>(dlsym(RTLD_NEXT, "clGetEventInfo"));
  const cl_int status = ask(e, what, bytes, to, needed);
  if (commands_fail && what == CL_EVENT_COMMAND_EXECUTION_STATUS && *static_cast<cl_int*>(to) == CL_COMPLETE)
    *static_cast<cl_int*>(to) = CL_OUT_OF_RESOURCES;
  return status;
}

namespace {

constexpr const char* source = R"(
__kernel void scale(__global float* x, float by) { x[get_global_id(0)] *= by; }
__kernel void add(__global const float* x, __global float* y) { y[get_global_id(0)] += x[get_global_id(0)]; }
__kernel void rows(__global int* x) { x[get_global_id(1) * get_global_size(0) + get_global_id(0)] = 10 * get_global_id(1) + get_global_id(0); }
__kernel void reversed(__global int* x, __local int* part) {
  int i = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n;
  part[i] = x[first + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[first + i] = part[n - 1 - i];
})";

/// The program's own objects of OpenCL, in the context of the device.
struct opencl_program {
  explicit opencl_program(const native_device& on)
      : context(static_cast<cl_context>(on.context)), device(static_cast<cl_device_id>(on.device)) {
    cl_int status = CL_SUCCESS;
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status == CL_SUCCESS, "a queue is made in the context of the device");
    const char* text = source;
    program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    check(clBuildProgram(program, 1, &device, "", nullptr, nullptr) == CL_SUCCESS, "the kernels compile");
  }
  ~opencl_program() {
    clFinish(queue);
    for (const cl_kernel k : kernels) clReleaseKernel(k);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
  }
  cl_kernel kernel(const char* name) { return kernels.emplace_back(clCreateKernel(program, name, nullptr)); }
  cl_mem buffer(std::size_t bytes) const { return clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, nullptr); }

  const cl_context context;
  const cl_device_id device;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  std::vector<cl_kernel> kernels;
};

void adopted_queues(opencl_module& cl) {
  opencl_program p(cl.devices().front());
  const cl_mem memory = p.buffer(4 * sizeof(float));
  const float ones[4] = {1, 1, 1, 1};
  float seen[4] = {};

  // The program's own work, held back by an event of OpenCL; no worker waits for it.
  const cl_event gate = clCreateUserEvent(p.context, nullptr);
  clEnqueueWriteBuffer(p.queue, memory, CL_FALSE, 0, sizeof ones, ones, 1, &gate, nullptr);
  const event written = cl.when(p.queue);
  for (int i = 0; i < 50; ++i) wait(async([] { std::this_thread::yield(); }));
  check(!written.has_triggered(), "an event of a queue waits for the work that was in it");
  clSetUserEventStatus(gate, CL_COMPLETE);
  clReleaseEvent(gate);

  // All workers sleep until the driver reports the end.
  const cl_event later = clCreateUserEvent(p.context, nullptr);
  clEnqueueMarkerWithWaitList(p.queue, 1, &later, nullptr);
  std::thread opens([later] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    clSetUserEventStatus(later, CL_COMPLETE);
  });
  wait(cl.when(p.queue));
  opens.join();
  clReleaseEvent(later);

  const event scaled = cl.forasync(after(written), p.queue, box(0, 4), p.kernel("scale"), memory, 3.0f);
  const future<int> read = cl.enqueue(after(scaled), name("read"), p.queue, [&](opencl_queue q) {
    check(q.context == p.context && q.device == p.device, "a body gets context and device of an adopted queue");
    clEnqueueReadBuffer(q, memory, CL_FALSE, 0, sizeof seen, seen, 0, nullptr, nullptr);
    return 5;
  });
  future<operation_profile> profiled;
  wait(cl.enqueue(profile(profiled), on(worker(0)), p.queue, [](opencl_queue) {}));
  check(profiled.valid() && profiled.get().running().count() >= 0, "tags of async make a call a task");
  check(read.get() == 5 && seen[3] == 3.0f, "operations in an adopted queue follow their preconditions");
  wait(cl.when(p.queue));

  // In the order of the program, without preconditions.
  for (int i = 0; i < 20; ++i) cl.forasync(p.queue, box(0, 4), p.kernels[0], memory, i % 2 ? 2.0f : 0.5f);
  wait(cl.enqueue(p.queue, [&](cl_command_queue q) {
    clEnqueueReadBuffer(q, memory, CL_FALSE, 0, sizeof seen, seen, 0, nullptr, nullptr);
  }));
  check(seen[0] == 3.0f, "operations without preconditions keep the order of the program");
  clReleaseMemObject(memory);
}

void lent_queues(opencl_module& cl) {
  opencl_program p(cl.devices().front());
  const place gpu = cl.devices().front().processor, memory = cl.devices().front().memory;
  constexpr int n = 1000;
  auto x = instance<float>::create(at(memory), box(0, n)).made, y = instance<float>::create(at(memory), box(0, n)).made;
  const event filled = fill(x, 2.0f), also = fill(y, 1.0f);
  const event scaled = cl.forasync(after(filled), at(gpu), box(0, n), p.kernel("scale"), x, 10.0f);
  const event added =
      cl.forasync(after(scaled, also), at(gpu), name("add"), box(0, n), p.kernel("add"), only_read(x), y);
  // A body that calls a library: here it copies the second half of one array to the first of the other.
  const event moved = cl.enqueue(
      after(added), at(gpu),
      [](opencl_queue q, const native_array<float>& from, const native_array<float>& to) {
        if (clEnqueueCopyBuffer(q, static_cast<cl_mem>(from.buffer), static_cast<cl_mem>(to.buffer),
                                from.offset_bytes + n / 2 * sizeof(float), to.offset_bytes, n / 2 * sizeof(float), 0,
                                nullptr, nullptr) != CL_SUCCESS)
          throw std::runtime_error("clEnqueueCopyBuffer failed");
      },
      only_read(y), x);
  const place ram = this_machine().places(place_kind::system_memory).front();
  auto back = instance<float>::create(at(ram), box(0, n)).made;
  wait(copy(x, back, after(moved)));
  check(back.view()(0) == 21.0f && back.view()(n - 1) == 20.0f, "a lent queue uses instances of its device");

  auto table = instance<int, 2>::create(at(memory), box({0, 0}, {3, 5})).made;
  auto groups = instance<int>::create(at(memory), box(0, 64)).made;
  auto rows = instance<int, 2>::create(at(ram), box({0, 0}, {3, 5})).made;
  auto turned = instance<int>::create(at(ram), box(0, 64)).made;
  for (int i = 0; i < 64; ++i) turned.view()(i) = i;
  wait(cl.forasync(at(gpu), box({0, 0}, {3, 5}), p.kernel("rows"), table));
  const event there = copy(turned, groups);
  wait(copy(table, rows));
  wait(cl.forasync(after(there), at(gpu), in_groups(box(0, 4), 16), p.kernel("reversed"), groups, opencl_local{64}));
  wait(copy(groups, turned));
  check(rows.view()(2, 4) == 24, "the first axis of OpenCL is the last axis of the range");
  check(turned.view()(0) == 15 && turned.view()(63) == 48, "groups have local memory");
  check(async(at(gpu), [] { return 6; }).get() == 6, "tasks at the place of a device run");
  wait(merge(
      {x.destroy(), y.destroy(), back.destroy(), table.destroy(), groups.destroy(), rows.destroy(), turned.destroy()}));
}

void copies(opencl_module& cl) {
  opencl_program p(cl.devices().front());
  const place memory = cl.devices().front().memory;
  std::vector<int> out(256), back(256);
  std::iota(out.begin(), out.end(), 0);
  const cl_mem first = p.buffer(1024), second = p.buffer(2048);
  const event in = cl.async_copy(memory, {.buffer = first}, place{}, {.data = out.data()}, 1024);
  const event over =
      cl.async_copy(memory, {.buffer = second, .offset_bytes = 1024}, memory, {.buffer = first}, 1024, after(in));
  wait(cl.async_copy(place{}, {.data = back.data()}, memory, {.buffer = second, .offset_bytes = 1024}, 1024,
                     after(over)));
  check(out == back, "copies between host memory and buffers of the program");
  clReleaseMemObject(first), clReleaseMemObject(second);
}

void failed_operations(opencl_module& cl) {
  opencl_program p(cl.devices().front());
  const place gpu = cl.devices().front().processor;
  const place ram = this_machine().places(place_kind::system_memory).front();
  const cl_kernel scale = p.kernel("scale");
  check(codes_of([&] { wait(cl.forasync(p.queue, box(0, 4), scale, 1.0f)); }) == "M34", "a refused argument");
  check(codes_of([&] { wait(cl.forasync(at(gpu), box(0, 4), scale, 1.0f)); }) == "M34", "also in a lent queue");
  check(codes_of([&] { cl.enqueue(at(ram), [](opencl_queue) {}); }) == "M33", "a place of the host");
  check(codes_of([&] { cl.enqueue(priority(1), [](opencl_queue) {}); }) == "M33", "no place, and no queue");
  const auto throws = [](opencl_queue) { throw std::runtime_error("mine"); };
  check(codes_of([&] { wait(cl.enqueue(p.queue, throws)); }) == "mine", "the exception of a body is that of its event");
  check(codes_of([&] { wait(cl.enqueue(at(gpu), throws)); }) == "mine", "also with a lent queue");
  const auto value = [](opencl_queue) -> int { throw std::runtime_error("mine"); };
  check(codes_of([&] { cl.enqueue(at(gpu), value).get(); }) == "mine", "also of its future");

  const user_event never = user_event::create();
  std::atomic<int> ran{0};
  const event one = cl.enqueue(after(never), p.queue, [&](opencl_queue) { ++ran; });
  const event other = cl.enqueue(after(never), at(gpu), [&](opencl_queue) { ++ran; });
  never.poison(std::make_exception_ptr(std::runtime_error("cause")));
  check(codes_of([&] { wait(one); }) == "cause", "a poisoned precondition skips an adopted call");
  check(codes_of([&] { wait(other); }) == "cause", "and a lent one");
  check(ran == 0, "skipped bodies do not run");

  wait(cl.when(p.queue));
  commands_fail = true;
  check(codes_of([&] { wait(cl.when(p.queue)); }) == "M34", "a failed command poisons the event of its queue");
  commands_fail = false;
}

/// The runtime ends while work of the program is in its queue.
void unfinished_work() {
  auto cl = std::make_shared<opencl_module>();
  std::optional<opencl_program> p;
  cl_event gate = nullptr;
  {
    runtime rt({.workers = 1, .devices = "opencl:1", .modules = {cl}});
    rt.run([&] {
      p.emplace(cl->devices().front());
      gate = clCreateUserEvent(p->context, nullptr);
      clRetainContext(p->context);
      clEnqueueMarkerWithWaitList(p->queue, 1, &gate, nullptr);
      cl->when(p->queue);
    });
  }
  clSetUserEventStatus(gate, CL_COMPLETE);
  clReleaseEvent(gate);
  const cl_context context = p->context;
  p.reset();
  clReleaseContext(context);
}

void run_on_opencl(std::uint32_t workers, bool stepped) {
  auto cl = std::make_shared<opencl_module>();
  {
    runtime rt({.workers = workers, .devices = "opencl:1", .stepped = stepped, .modules = {cl}});
    rt.run([&] { adopted_queues(*cl); });
    check(counted(rt, "adopted calls").count == 24, "adopted calls are counted");
    rt.run([&] { lent_queues(*cl); });
    const std::string gpu = rt.machine().name(cl->devices().front().processor);
    check(counted(rt, "lent calls", gpu).count == 5, "lent calls are counted at their place");
    rt.run([&] { copies(*cl); });
    check(counted(rt, "copies", gpu).count == 4 && counted(rt, "copies", gpu).bytes == 4096, "copies are counted");
    rt.run([&] { failed_operations(*cl); });
  }
  check(codes_of([&] { cl->when(nullptr); }) == "B20", "a thread of no runtime");
  runtime without({.workers = 1});
  without.run([&] {
    check(codes_of([&] { cl->enqueue(at(place{}), [](opencl_queue) {}); }) == "M35", "no runtime uses the module");
  });
}

}  // namespace

int main() {
  for (const std::uint32_t workers : {1u, 3u})
    for (const bool stepped : {false, true}) run_on_opencl(workers, stepped);
  unfinished_work();
  {
    auto cl = std::make_shared<opencl_module>();
    runtime rt({.workers = 1, .devices = "sim", .modules = {cl}});
    run_on_simulated_device(rt, *cl);
    check(counted(rt, "lent calls", "sim_0").count == 2, "simulated devices are counted, too");
    rt.run([&] {
      const place gpu = cl->devices().front().processor;
      check(codes_of([&] { cl->forasync(at(gpu), box(0, 1), cl_kernel(), 1); }) == "M33", "no kernels of OpenCL there");
    });
  }
  const auto conflict = [] {
    runtime rt({.workers = 1,
                .devices = "opencl:1",
                .modules = {std::make_shared<claiming_module>(), std::make_shared<opencl_module>()}});
  };
  check(codes_of(conflict) == "M03", "another module has claimed the device: " + codes_of(conflict));
  std::puts(failures ? "the module of OpenCL failed" : "the module of OpenCL works");
  return failures != 0;
}
