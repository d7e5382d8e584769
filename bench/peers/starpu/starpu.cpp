// starpu.cpp - StarPU on processors: tasks submitted by the main thread, run by `workers` others.
//
// Threads     `workers` workers and the submitter. Tasks may not wait, so fork-join is a graph
// built beforehand.

#include <starpu.h>

#include <cstdlib>
#include <stdexcept>

#include "common/measure.hpp"
#include "peers/starpu/opencl_chain.hpp"
#include "taskbench/task.hpp"

namespace {

// A codelet must outlive the tasks that use it.
starpu_codelet codelet(starpu_cpu_func_t body, const char* name, int buffers = 0) {
  starpu_codelet c;
  starpu_codelet_init(&c);
  c.cpu_funcs[0] = body;
  c.name = name;
  c.nbuffers = buffers;
  return c;
}

starpu_task* task_of(starpu_codelet& kind, void* argument) {
  starpu_task* task = starpu_task_create();
  task->cl = &kind;
  task->cl_arg = argument;
  return task;
}

void check(int fault, const char* what) {
  if (fault != 0) throw std::runtime_error(std::string("StarPU: ") + what);
}

void submit(starpu_task* task) { check(starpu_task_submit(task), "a task was not taken"); }

struct alignas(128) counter {
  long value = 0;
};

void count(void**, void* counters) { ++static_cast<counter*>(counters)[starpu_worker_get_id()].value; }
starpu_codelet counting = codelet(count, "count");

void increment(void**, void* value) { ++*static_cast<long*>(value); }
starpu_codelet incrementing = codelet(increment, "increment");

bench::outcome time_empty(const bench::options& o) {
  std::vector<counter> done(starpu_worker_get_count());
  const bench::stopwatch clock;
  for (long i = 0; i < o.size; ++i) submit(task_of(counting, done.data()));
  starpu_task_wait_for_all();
  const double ns = clock.nanoseconds_per(o.size);
  long all = 0;
  for (const counter& c : done) all += c.value;
  bench::expect("number of tasks done", all, o.size);
  return {ns};
}

// `length` tasks, each after the one before, the first after `gate`; all submitted.
void submit_chain(starpu_task* gate, long length, long* hops) {
  starpu_task* before = gate;
  for (long i = 0; i < length; ++i) {
    starpu_task* next = task_of(incrementing, hops);
    starpu_task_declare_deps_array(next, 1, &before);
    if (before != gate) submit(before);
    before = next;
  }
  submit(before);
}

bench::outcome time_chain(const bench::options& o) {
  long hops = 0;
  const bench::stopwatch clock;
  starpu_task* gate = task_of(incrementing, &hops);
  submit_chain(gate, o.size - 1, &hops);
  submit(gate);
  starpu_task_wait_for_all();
  const double ns = clock.nanoseconds_per(o.size);
  bench::expect("number of hops", hops, o.size);
  return {ns};
}

bench::outcome measure_bytes(const bench::options& o) {
  long hops = 0;
  const double before = bench::resident_bytes();
  starpu_task* gate = task_of(incrementing, &hops);
  submit_chain(gate, o.size - 1, &hops);
  const double bytes = (bench::resident_bytes() - before) / o.size;
  submit(gate);
  starpu_task_wait_for_all();
  bench::expect("number of hops", hops, o.size);
  return {bytes};
}

bench::outcome time_spawn_wait(const bench::options& o) {
  long result = 0;
  const bench::stopwatch clock;
  for (long i = 0; i < o.size; ++i) {
    starpu_task* task = task_of(incrementing, &result);
    task->detach = 0;
    submit(task);
    check(starpu_task_wait(task), "a task was not awaited");
    bench::expect("result", result, i + 1);
  }
  return {clock.nanoseconds_per(o.size)};
}

struct fib_call {
  long value = 0;
  fib_call* halves[2]{};
  starpu_task* task = nullptr;
};

void add_halves(void**, void* argument) {
  fib_call* call = static_cast<fib_call*>(argument);
  call->value = call->halves[0]->value + call->halves[1]->value;
}
starpu_codelet adding = codelet(add_halves, "add");

// One task per spawn, after the tasks of its halves; `calls` has the capacity for all.
fib_call* submit_fib(long n, std::vector<fib_call>& calls) {
  fib_call* call = &calls.emplace_back();
  call->value = n;
  if (n < 2) return call;
  starpu_task* after[2];
  int count = 0;
  for (int half = 0; half < 2; ++half) {
    call->halves[half] = submit_fib(n - 1 - half, calls);
    if (call->halves[half]->task) after[count++] = call->halves[half]->task;
  }
  call->task = task_of(adding, call);
  if (count > 0) starpu_task_declare_deps_array(call->task, count, after);
  return call;
}

bench::outcome time_fib(const bench::options& o) {
  std::vector<fib_call> calls;
  calls.reserve(2 * bench::fib(o.size + 1));
  const bench::stopwatch clock;
  fib_call* root = submit_fib(o.size, calls);
  for (fib_call& call : calls)
    if (call.task) submit(call.task);
  starpu_task_wait_for_all();
  const double ns = clock.nanoseconds_per(bench::fib_tasks(o.size));
  bench::expect("fib", root->value, bench::fib(o.size));
  return {ns};
}

struct point_task {
  const taskbench::graph* graph;
  long t, p, iterations;
};

void run_point(void** buffers, void* argument) {
  const point_task& task = *static_cast<point_task*>(argument);
  const std::size_t inputs = task.graph->inputs(task.t, task.p).size();
  const auto at = [&](std::size_t i) {
    return reinterpret_cast<taskbench::stamp*>(STARPU_VARIABLE_GET_PTR(buffers[i]));
  };
  std::vector<const taskbench::stamp*> in(inputs);
  for (std::size_t i = 0; i < inputs; ++i) in[i] = at(i);
  taskbench::run_task(*task.graph, task.t, task.p, in, at(inputs), task.iterations);
}
starpu_codelet running_point = codelet(run_point, "point", STARPU_VARIABLE_NBUFFERS);

// Two rows of data handles; StarPU derives all dependences from what tasks read and write.
bench::outcome time_taskbench(const bench::options& o) {
  const taskbench::graph g = taskbench::graph_of(o);
  taskbench::stamps where(g, 2);
  std::vector<starpu_data_handle_t> handles(2 * o.width);
  const auto handle = [&](long t, long p) -> starpu_data_handle_t& { return handles[t % 2 * o.width + p]; };
  for (long row = 0; row < 2; ++row)
    for (long p = 0; p < o.width; ++p)
      starpu_variable_data_register(&handle(row, p), STARPU_MAIN_RAM,
                                    reinterpret_cast<std::uintptr_t>(where.at(row, p)), sizeof(taskbench::stamp));
  std::vector<point_task> tasks;
  tasks.reserve(g.tasks());
  std::vector<starpu_data_descr> access(g.max_inputs() + 1);
  const bench::stopwatch clock;
  for (long t = 0; t < o.steps; ++t)
    for (long p = g.first(t); p < g.first(t) + g.width(t); ++p) {
      std::size_t count = 0;
      for (long q : g.inputs(t, p)) access[count++] = {handle(t - 1, q), STARPU_R};
      access[count++] = {handle(t, p), STARPU_W};
      tasks.push_back({&g, t, p, o.iteration()});
      check(starpu_task_insert(&running_point, STARPU_DATA_MODE_ARRAY, access.data(), static_cast<int>(count),
                               STARPU_CL_ARGS_NFREE, &tasks.back(), sizeof(point_task), 0),
            "a task was not taken");
    }
  starpu_task_wait_for_all();
  const double seconds = clock.seconds();
  for (starpu_data_handle_t h : handles) starpu_data_unregister(h);
  return taskbench::report(g, o, seconds);
}

// Objects: variables that tasks name with a mode; whom they follow is found by StarPU.
void do_nothing(void**, void*) {}
void look(void** buffers, void* count) {
  int sum = 0;
  for (long i = 0; i < *static_cast<long*>(count); ++i)
    sum += *reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[i]));
  static volatile int seen;
  seen = sum;
}
void change(void** buffers, void* count) {
  for (long i = 0; i < *static_cast<long*>(count); ++i) ++*reinterpret_cast<int*>(STARPU_VARIABLE_GET_PTR(buffers[i]));
}

bench::outcome time_launches(const bench::options& o, long objects, bool changes) {
  static starpu_codelet looking[] = {codelet(do_nothing, "nothing"), codelet(look, "look", 1), codelet(look, "look", 2),
                                     codelet(look, "look", 3)};
  static starpu_codelet changing[] = {codelet(do_nothing, "nothing"), codelet(change, "change", 1),
                                      codelet(change, "change", 2), codelet(change, "change", 3)};
  starpu_codelet& kind = (changes ? changing : looking)[objects];
  int values[3] = {};
  starpu_data_handle_t handles[3];
  for (long i = 0; i < objects; ++i) {
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(&values[i]),
                                  sizeof(int));
    kind.modes[i] = changes ? STARPU_RW : STARPU_R;
  }
  const bench::stopwatch clock;
  for (long n = 0; n < o.size; ++n) {
    starpu_task* task = task_of(kind, &objects);
    for (long i = 0; i < objects; ++i) task->handles[i] = handles[i];
    submit(task);
  }
  starpu_task_wait_for_all();
  const double ns = clock.nanoseconds_per(o.size);
  for (long i = 0; i < objects; ++i) {
    starpu_data_unregister(handles[i]);
    bench::expect("times changed", values[i], changes ? o.size : 0);
  }
  return {ns};
}
bench::outcome time_launch_of_none(const bench::options& o) { return time_launches(o, 0, false); }
bench::outcome time_readers_of_one(const bench::options& o) { return time_launches(o, 1, false); }
bench::outcome time_chain_on_one(const bench::options& o) { return time_launches(o, 1, true); }
bench::outcome time_readers_of_three(const bench::options& o) { return time_launches(o, 3, false); }
bench::outcome time_chain_on_three(const bench::options& o) { return time_launches(o, 3, true); }

}  // namespace

int main(int argc, char** argv) {
  using bench::better;
  const bench::program system{
      .system = "starpu",
      .entries = {{"fib", "ns/task", better::lower, 18, time_fib},
                  {"empty", "ns/task", better::lower, 100000, time_empty},
                  {"chain", "ns/hop", better::lower, 20000, time_chain},
                  {"spawn_wait", "ns/task", better::lower, 5000, time_spawn_wait},
                  {"pending_bytes", "bytes/task", better::lower, 50000, measure_bytes, bench::repeat::once},
                  {"launch_none", "ns/task", better::lower, 100000, time_launch_of_none},
                  {"launch_readers_1", "ns/task", better::lower, 100000, time_readers_of_one},
                  {"launch_chain_1", "ns/task", better::lower, 100000, time_chain_on_one},
                  {"launch_readers_3", "ns/task", better::lower, 100000, time_readers_of_three},
                  {"launch_chain_3", "ns/task", better::lower, 100000, time_chain_on_three},
                  {"device_chain", "us/kernel", better::lower, 2000, time_chain_on_opencl, bench::repeat::once},
                  {"taskbench", "us/task", better::lower, 0, time_taskbench}},
      .with_workers = [](const bench::options& o, const std::function<void()>& body) {
        setenv("STARPU_SILENT", "1", 0);
        starpu_conf conf;
        starpu_conf_init(&conf);
        const bool on_device = o.bench.starts_with("device_");
        if (on_device) setenv("STARPU_OPENCL_ON_CPUS", "1", 0);
        conf.ncpus = on_device ? 0 : o.workers;
        conf.ncuda = 0;
        conf.nopencl = on_device ? 1 : 0;
        if (starpu_init(&conf) != 0) throw bench::unsupported("StarPU finds no processor to run on");
        const struct stop {
          ~stop() { starpu_shutdown(); }
        } at_end;
        body();
      }};
  return bench::run(system, argc, argv);
}
