// The module's tests, a process each: mpirun -n N mpi_test LEVEL WORKERS SCENARIO
//
//   calls       every call, in several runtimes one after another; the program starts MPI
//   own         the same in one runtime; the module starts MPI, and ends it
//   elsewhere   the same with the interconnect on the paths of the last worker
//   beside      the same, in runtimes that are nodes of a job over the same MPI; the program's receives see nothing of
//               it
//   behind      the same where a runtime's job has started MPI, which the program uses afterwards and ends
//   ends        what is pending when a runtime ends
//   leftover    the same where the runtime is a node of a job over the same MPI
//   simulated   the same where two runtimes of one process are nodes of a simulated job
//   start       what keeps the module from starting
#include <stretto/job.hpp>
#include <stretto/platform.hpp>
#include <stretto/remote.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "checks.hpp"
#include "tests.hpp"

using namespace stretto;

namespace {

mpi::thread_level level;
int raw_level;
std::uint32_t workers;

void all_calls() {
  const auto world = net->world();
  test_point_to_point(world);
  test_collectives(world);
  test_windows(world);
  test_faults(world);
}

/// Workers of one core and a memory, the interconnect on the paths of those named.
std::shared_ptr<const platform> machine_with_net(std::uint32_t count, std::vector<std::uint32_t> at) {
  platform_description d;
  d.places = {{.name = "sysmem", .kind = place_kind::system_memory}, {.name = "net", .kind = place_kind::interconnect}};
  d.links.push_back({place{0}, place{1}, {}, {}});
  for (std::uint32_t w = 0; w < count; ++w) {
    std::vector<place> path{place{0}};
    for (const std::uint32_t n : at)
      if (n == w) path.insert(path.begin(), place{1});
    d.pop_paths.push_back(path);
    d.steal_paths.push_back({place{0}});
  }
  return std::make_shared<const platform>(platform::build(std::move(d)));
}

void start_mpi() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, raw_level, &provided);
  check(provided == raw_level, "MPI gives the thread level that is tested");
}

template <class Body>
void with_runtime(Body&& body, std::shared_ptr<const platform> machine = nullptr, std::uint32_t count = workers) {
  net = std::make_shared<mpi_module>(mpi_options{.threads = level});
  {
    runtime rt({.workers = count, .machine = machine, .modules = {net}});
    rt.run(std::forward<Body>(body));
  }
  net.reset();
}

void calls() {
  start_mpi();
  for (std::uint32_t n = 1; n <= workers; n *= 2)
    with_runtime(
        [] {
          check(net->threads() == level, "the module says which level it works with");
          all_calls();
        },
        nullptr, n);
  int size = 0, sum = 0, one = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sum == size, "MPI goes on when a runtime has ended that did not start it");
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  check(handler == MPI_ERRORS_ARE_FATAL, "and deals with errors as before");
  MPI_Finalize();
}

void own() {
  const auto module = std::make_shared<mpi_module>(mpi_options{.threads = level});
  check(has(thrown_by([&] { module->world(); }), "error M24"), "a module of no runtime has no communicators");
  with_runtime([] {
    check(net->threads() == level, "the module starts MPI as it is told");
    all_calls();
  });
  int has_ended = 0;
  MPI_Finalized(&has_ended);
  check(has_ended, "whoever starts MPI ends it");
  const std::string again = thrown_by([] { with_runtime([] {}); });
  check(has(again, "error M24: MPI is not usable") && has(again, "MPI has been finalized in this process"),
        "it cannot be started again");
}

void elsewhere() {
  with_runtime([] { all_calls(); }, machine_with_net(workers, {workers - 1}));
}

int tripled(int n) { return 3 * n; }
std::vector<int> all_tripled(std::vector<int> v) {
  for (int& x : v) x *= 3;
  return v;
}

/// Messages of the job, small and large, in tasks.
void call_next(std::atomic<int>& answers) {
  for (int i = 0; i < 50; ++i)
    async([&, i] {
      const std::uint32_t next = (this_node() + 1) % job_nodes();
      if (async(at_node(next), call<&tripled>(i)).get() == 3 * i) ++answers;
    });
  async([&] {
    const std::uint32_t next = (this_node() + 1) % job_nodes();
    if (async(at_node(next), call<&all_tripled>(std::vector<int>(300'000, 7))).get() == std::vector<int>(300'000, 21))
      ++answers;
  });
}

/// A receive of anything from anybody, made before there is a job: it has the program's own message.
void see_no_message_of_the_job() {
  int in = -1, size = 0, rank = 0, has_come = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request any;
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any);
  {
    runtime rt({.workers = workers});
    std::atomic<int> answers{0};
    rt.run([&] { finish([&] { call_next(answers); }); });
    check(answers == 51, "functions on other nodes beside a receive of anything");
  }
  MPI_Test(&any, &has_come, MPI_STATUS_IGNORE);
  check(!has_come, "no message of a job is the program's");
  MPI_Barrier(MPI_COMM_WORLD);
  const int out = 100 + rank, left = (rank + size - 1) % size;
  MPI_Request sent;
  MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &sent);
  MPI_Status s;
  if (!has_come) MPI_Wait(&any, &s);
  check(!has_come && in == 100 + left && s.MPI_SOURCE == left && s.MPI_TAG == 3, "its own is");
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

void beside() {
  start_mpi();
  see_no_message_of_the_job();
  with_runtime([] {
    check(job_nodes() == static_cast<std::uint32_t>(net->world().size()) &&
              this_node() == static_cast<std::uint32_t>(net->world().rank()),
          "a runtime is a node of the job");
    // Messages of the job and of the program, at the same time.
    std::atomic<int> answers{0};
    finish([&] {
      call_next(answers);
      async(name("all calls"), [] { all_calls(); });
    });
    check(answers == 51, "functions on other nodes beside the program's messages");
    test_host_tasks(net->world());
  });
  MPI_Finalize();
}

void behind() {
  const auto is_there = [](int (*asked)(int*)) {
    int answer = 0;
    asked(&answer);
    return answer != 0;
  };
  for (int round = 0; round < 3; ++round) {
    with_runtime([] {
      std::atomic<int> answers{0};
      finish([&] { call_next(answers); });
      check(answers == 51, "functions on other nodes, by an MPI that the job has started");
      all_calls();
    });
    check(is_there(&MPI_Initialized) && !is_there(&MPI_Finalized),
          "MPI goes on when a runtime ends whose job started it");
    int size = 0, sum = 0, one = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(sum == size, "and is the program's until the next one");
  }
  MPI_Finalize();
}

/// Ended after the module, while futures are still there: what has become of them.
class last_look final : public module {
 public:
  explicit last_look(std::function<std::string()> look) : look_(std::move(look)) {}
  std::string seen;

 private:
  std::string_view name() const noexcept override { return "last look"; }
  void initialise(module_host&) override {}
  void finalise() override { seen = look_(); }
  std::function<std::string()> look_;
};

/// The error of the future that `call` returns, read after the end of the module.
template <class Future, class Call>
std::string left_by(Call&& call) {
  Future f;
  const auto last = std::make_shared<last_look>([&] {
    const std::string said = thrown_by([&] { f.result().rethrow(); });
    f = {};
    return said;
  });
  net = std::make_shared<mpi_module>(mpi_options{.threads = level});
  {
    runtime rt({.workers = workers, .modules = {last, net}});
    call(rt, f);
  }
  net.reset();
  return last->seen;
}

void ends() {
  start_mpi();
  int never = 0, size = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<int> large(1'000'000, rank);
  const std::string unmet = left_by<future<mpi::status>>([&](runtime& rt, auto& f) {
    rt.run([&] {
      const auto world = net->world();
      f = world.irecv(std::span(&never, 1), MPI_ANY_SOURCE, 55, name("never sent"));
      if (size == 1) return;
      if (rank % 2 == 0) {
        world.isend(large, rank + 1, 56);  // the end of the runtime waits for its receive
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        world.recv(large, rank - 1, 56);
        check(large.front() == rank - 1 && large.back() == rank - 1,
              "what was sent arrives although its sender's runtime ends");
      }
    });
  });
  check(has(unmet, "error M25: MPI_Irecv was still pending when the runtime ended") && has(unmet, "never sent") &&
            has(unmet, "peer        any") && has(unmet, "tag         55"),
        "a receive that nobody answers is taken back at the end");
  const std::string unsent = left_by<future<void>>([&](runtime& rt, auto& f) {
    rt.run([] {});
    const attached_thread here(rt);
    f = net->world().isend(rank, rank, 57, {after(user_event::create()), name("never triggered")});
  });
  check(has(unsent, "error E14: the runtime ended before the program triggered an event"),
        "what waits for an event that nobody triggers ends with it");
  MPI_Barrier(MPI_COMM_WORLD);
  int is_there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, 57, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
  check(!is_there, "and is not sent");
  MPI_Finalize();
}

/// Calls without a partner, in a runtime of that job; each of its nodes calls.
void leave_over(std::shared_ptr<job_endpoint> seat, std::uint32_t node, std::string& receive, std::string& probe) {
  int never = 0, late = 0;
  future<mpi::status> unmet, unseen, met;
  const auto last = std::make_shared<last_look>([&] {
    receive = thrown_by([&] { unmet.result().rethrow(); });
    probe = thrown_by([&] { unseen.result().rethrow(); });
    unmet = unseen = met = {};
    return std::string();
  });
  const auto module = std::make_shared<mpi_module>(mpi_options{.threads = level});
  runtime_options options{.workers = seat ? 1 : workers, .modules = {last, module}};
  options.job = seat;
  runtime rt(options);
  rt.run([&] {
    const auto world = module->world();
    const int me = world.rank();
    unmet = world.irecv(std::span(&never, 1), MPI_ANY_SOURCE, 68, name("never sent"));
    unseen = world.iprobe(MPI_ANY_SOURCE, 69);
    // A receive that a task waits for is none that is left over, and keeps the job from ending.
    if (node == 0) {
      met = world.irecv(std::span(&late, 1), MPI_ANY_SOURCE, 71);
      async(after(met), [&late] { check(late == 5, "what is sent while the job ends arrives"); });
    }
    if (node + 1 == job_nodes()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      world.send(5, seat ? me : 0, 71);
    }
  });
}

void is_told(const std::string& receive, const std::string& probe) {
  check(has(receive, "error M25: MPI_Irecv was still pending when the runtime ended") && has(receive, "never sent") &&
            has(receive, "no message arrived, and the runtime cancelled the receive"),
        "a receive that nobody answers keeps no job from ending, and says so");
  check(has(probe, "error M25: MPI_Iprobe was still pending when the runtime ended"), "nor does a probe");
}

void leftover() {
  start_mpi();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::string receive, probe;
  leave_over(nullptr, static_cast<std::uint32_t>(rank), receive, probe);
  is_told(receive, probe);
  MPI_Finalize();
}

void simulated() {
  start_mpi();
  if (level == mpi::thread_level::serialized) {  // two runtimes have two main threads; what MPI orders by itself no
                                                 // sanitizer sees
    const simulated_job job({.nodes = 2});
    std::string receives[2], probes[2];
    std::thread other([&] { leave_over(job.endpoint(1), 1, receives[1], probes[1]); });
    leave_over(job.endpoint(0), 0, receives[0], probes[0]);
    other.join();
    for (int node = 0; node < 2; ++node) is_told(receives[node], probes[node]);
  }
  MPI_Finalize();
}

void start() {
  start_mpi();
  const auto fails_with = [](const char* words, std::shared_ptr<const platform> machine, std::uint32_t n) {
    const std::string said = thrown_by([&] { with_runtime([] {}, machine, n); });
    check(has(said, words), "the module says what keeps it from starting");
    return said;
  };
  if (level == mpi::thread_level::funneled) {
    const std::string both =
        fails_with("error M22: MPI allows one thread only, and place \"net\" is on the paths of 2 workers",
                   machine_with_net(3, {0, 2}), 3);
    check(has(both, "workers     0, 2") && has(both, "exactly one worker"), "naming the workers");
    fails_with(
        "error M22: MPI allows one thread only, and place \"net\" is on the paths of no worker",
        [] {
          auto d = machine_with_net(1, {0})->describe();
          d.pop_paths[0] = {place{0}};
          return std::make_shared<const platform>(platform::build(std::move(d)));
        }(),
        1);
    fails_with("error M23: MPI allows calls from its main thread only, which is not worker 1", machine_with_net(2, {1}),
               2);
    std::thread other([&] {
      fails_with("error M23: MPI allows calls from its main thread only, which is not worker 0", nullptr, 1);
    });
    other.join();
  } else {
    with_runtime([] { check(net->world().allreduce(1, MPI_SUM) == net->world().size(), "any worker may call"); },
                 machine_with_net(3, {0, 2}), 3);
  }
  with_runtime([] { net->world().barrier(); });  // what failed has left nothing behind
  MPI_Finalize();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::puts("mpi_test LEVEL WORKERS SCENARIO"), 2;
  const std::string wanted = argv[1], scenario = argv[3];
  workers = static_cast<std::uint32_t>(std::atoi(argv[2]));
  level = wanted == "funneled"   ? mpi::thread_level::funneled
          : wanted == "multiple" ? mpi::thread_level::multiple
                                 : mpi::thread_level::serialized;
  raw_level = wanted == "funneled"   ? MPI_THREAD_FUNNELED
              : wanted == "multiple" ? MPI_THREAD_MULTIPLE
                                     : MPI_THREAD_SERIALIZED;
  try {
    if (scenario == "calls") calls();
    else if (scenario == "own") own();
    else if (scenario == "elsewhere") elsewhere();
    else if (scenario == "beside") beside();
    else if (scenario == "behind") behind();
    else if (scenario == "ends") ends();
    else if (scenario == "leftover") leftover();
    else if (scenario == "simulated") simulated();
    else if (scenario == "start") start();
    else return std::printf("there is no scenario %s\n", scenario.c_str()), 2;
  } catch (const std::exception& e) {
    std::printf("thrown: %s\n", e.what());
    std::fflush(stdout);
    std::_Exit(1);
  }
  if (!failures) std::puts("all is well");
  std::fflush(stdout);
  return failures != 0;
}
