// jobs.cpp - what the nodes of a job do together: runtimes in two processes over MPI, in one to four for the relaxation.
//
// Threads     those of a runtime per process, of one worker; `workers` is the number of nodes, which mpirun decides.
#include <stretto/stretto.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "circuit_nodes.hpp"
#include "common/measure.hpp"
#include "demo/jacobi3d/run.hpp"
#include "demo/particles/run.hpp"
#include "fluid_nodes.hpp"
#include "heat_levels.hpp"

namespace {

using namespace stretto;

using bytes = instance<char>;

void need_two() {
  if (job_nodes() != 2) throw bench::unsupported("start two processes: mpirun -np 2");
}

/// --size bytes from an instance of one node to one of the other and back, again and again, each copy after the one before: half of
/// that is one way. All of it is asked for by node 0, a hundred copies ahead.
bench::outcome time_copies(const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  const long turns = o.size > 200'000 ? o.steps / 5 : o.size > 4096 ? 2 * o.steps : 10 * o.steps;
  const auto here = bytes::create(at_node(0), {0, o.size}), there = bytes::create(at_node(1), {0, o.size});
  wait(merge(fill(here.made, 'a', after(here.ready)), fill(there.made, 'b', after(there.ready))));
  event e;
  const bench::stopwatch clock;
  for (long i = 0; i < turns; ++i) {
    e = copy(here.made, there.made, after(e));
    e = copy(there.made, here.made, after(e));
    if (i % 50 == 49) wait(e);
  }
  wait(e);
  const double seconds = clock.seconds();
  wait(merge(here.made.destroy(after(e)), there.made.destroy(after(e))));
  return {.value = seconds * 1e6 / (2.0 * static_cast<double>(turns))};
}

/// An event of each node in turn, triggered once the one before has: a ring, built ahead, and a hop is from one node to the other.
user_event made_behind(event before) {
  const auto e = user_event::create();
  e.trigger(before);
  return e;
}
bench::outcome time_ring(const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  const long hops = 2 * o.steps;
  const auto first = user_event::create();
  event e = first;
  for (long i = 0; i < hops / 2; ++i) {
    e = async(at_node(1), call<&made_behind>(e)).get();
    e = made_behind(e);
  }
  const bench::stopwatch clock;
  first.trigger();
  wait(e);
  return {.value = clock.seconds() * 1e6 / static_cast<double>(hops)};
}

/// Elements between two nodes, as the paper's ping-pong has them: --size bytes there, and back by whoever has them. Half of a turn.
std::atomic<long> came{0};
bool has_device = false;
STRETTO_KERNEL(touch, (out<char> x), { x(global_id(0)) = 1; })

long turns_of(const bench::options& o) { return o.size > 200'000 ? o.steps / 5 : o.size > 4096 ? 2 * o.steps : 10 * o.steps; }
void wait_for(long turn) {
  while (came.load(std::memory_order_acquire) < turn) yield();
}
void has_come() { came.fetch_add(1, std::memory_order_release); }
/// `turn()` begins one, `end()` waits for what is not there yet when a handler has said that it came.
template <class Turn, class End>
bench::outcome one_way(const bench::options& o, Turn&& turn, End&& end) {
  const long turns = turns_of(o), before = came;
  const auto go = [&](long i) { turn(), wait_for(before + i), end(); };
  go(1);
  const bench::stopwatch clock;
  for (long i = 2; i <= 1 + turns; ++i) go(i);
  return {.value = clock.seconds() * 1e6 / (2.0 * static_cast<double>(turns))};
}
/// Where there is a device, there; else on the host.
object<char> made_of(coordinate bytes) {
  object<char> o(box(0, bytes));
  launch(on(has_device ? device_kind::device : device_kind::host), touch, o.elements(), o);
  wait(o.read(box(0, 1)));
  return o;
}

/// By puts into objects.
bench::outcome time_puts(const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  const object<char> mine = made_of(o.size);
  const auto here = share(mine), there = async(at_node(1), call([](coordinate n) { return share(made_of(n)); }, o.size)).get();
  const auto result = one_way(o, [&] {
    put(mine, there, call([](object<char>& x, global_object<char> back) { detached([&] { put(x, back, call<&has_come>()); }); }, here));
  }, [] {});
  unshare(there).get(), unshare(here).get();
  return result;
}
/// By objects as arguments. The handlers start before the content is there, who began waits for it.
object<char> kept_object;
void object_came(object<char> x) {
  kept_object = std::move(x);
  has_come();
}
bench::outcome time_objects(const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  kept_object = made_of(o.size);
  return one_way(o, [&] {
    async(at_node(1), call([](object<char> x) { detached([&] { async(at_node(0), call<&object_came>(std::move(x))); }); },
                           std::move(kept_object)));
  }, [] { wait(kept_object.read(box(0, 1))); });
}
/// By buffers without objects.
bench::outcome time_buffers_in(place memory, const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  const auto mine = bytes::create(at(memory), {0, o.size});
  wait(fill(mine.made, 'a', after(mine.ready)));
  const auto result = one_way(o, [&] {
    send_buffer(at_node(1), mine.made, at(memory), call([](const received_buffer<char>& b, std::uint32_t back) {
      send_buffer(at_node(0), b.elements(), at(place{back}), call([](const received_buffer<char>&) { has_come(); }));
    }, memory.index));
  }, [] {});
  wait(mine.made.destroy());
  return result;
}

bench::outcome time_buffers(const bench::options& o) {
  const auto devices = this_machine().places(place_kind::gpu_memory);
  return time_buffers_in(has_device && !devices.empty() ? devices.front() : this_machine().memories().front(), o);
}
/// In memory of the host that kernels of the device use in place, from and to which messages go without a detour.
bench::outcome time_shared(const bench::options& o) {
  const auto all = this_machine().places(place_kind::pinned_memory);
  if (all.empty()) throw bench::unsupported("the device shares no memory with the host");
  return time_buffers_in(all.front(), o);
}

long counted(long n) { return n + 1; }
/// A function on the other node and its value back: half of that.
bench::outcome time_calls(const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  const long turns = 10 * o.steps;
  long n = 0;
  const bench::stopwatch clock;
  for (long i = 0; i < turns; ++i) n = async(at_node(1), call<&counted>(n)).get();
  if (n != turns) throw bench::wrong_answer("a call was lost");
  return {.value = clock.seconds() * 1e6 / (2.0 * static_cast<double>(turns))};
}

/// So many grants of a reservation, each behind the one ten before.
void take_turns(reservation r, long grants) {
  std::vector<event> released;
  for (long i = 0; i < grants; ++i) {
    const event granted = i < 10 ? r.acquire() : r.acquire(released[static_cast<std::size_t>(i - 10)]);
    released.push_back(r.release(granted));
  }
  wait(merge(released));
}
/// Both nodes want one reservation all the time: grants of both together.
bench::outcome count_grants(const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  const long grants = 10 * o.steps;
  const auto r = reservation::create();
  const bench::stopwatch clock;
  const auto other = async(at_node(1), call<&take_turns>(r, grants));
  take_turns(r, grants);
  other.get();
  return {.value = 2.0 * static_cast<double>(grants) * 1e-6 / clock.seconds()};
}

struct pinged {
  long count = 0;
  void ping() { ++count; }
};
/// From a message to an object of the other node, which nobody waits for, to the event that says that none is on its way.
bench::outcome time_quiescence(const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  const auto there = make_mobile<pinged>(at_node(1));
  const long turns = o.steps;
  const bench::stopwatch clock;
  for (long i = 0; i < turns; ++i) {
    detached([&] { send(there, call<&pinged::ping>()); });
    wait(quiescence());
  }
  const double seconds = clock.seconds();
  if (send(there, call([](const pinged& p) { return p.count; })).get() != turns) throw bench::wrong_answer("a message was lost");
  destroy(there).get();
  return {.value = seconds * 1e6 / static_cast<double>(turns)};
}

/// The demo jacobi3d, so many cuboids for each node: cells per second.
template <std::uint32_t factor>
bench::outcome count_jacobi(const bench::options& o) {
  if (this_node() != 0) return {};
  const auto n = static_cast<std::uint32_t>(o.size);
  const jacobi3d::report r = jacobi3d::run({.what = {{n, n, n}, static_cast<std::uint32_t>(o.steps / 20)}, .factors = {factor}}, 1);
  return {.value = r.million_cells_per_second(r.runs.front())};
}

/// The time of a program that waits before each operation to that of one that says what has to come first. `program(waits)` returns what it
/// has computed.
template <class F, class T>
bench::outcome compare_deferred(F&& program, const T& expected) {
  std::vector<double> seconds;
  for (const bool waits : {false, true}) {
    const bench::stopwatch clock;
    const T found = program(waits);
    seconds.push_back(clock.seconds());
    if (found != expected) throw bench::wrong_answer("not as a serial run");
  }
  return {.value = seconds[1] / seconds[0]};
}
bench::outcome compare_levels(const bench::options& o) {
  if (this_node() != 0) return {};
  const int n = static_cast<int>(o.size), steps = static_cast<int>(o.steps / 20);
  return compare_deferred([&](bool waits) { return heat_levels::on_nodes(n, steps, waits); }, heat_levels::serially(n, steps));
}
bench::outcome compare_circuit(const bench::options& o) {
  if (this_node() != 0) return {};
  const int steps = static_cast<int>(o.steps / 20);
  const auto c = circuit_nodes::make(static_cast<int>(o.size));
  return compare_deferred([&](bool waits) { return circuit_nodes::on_nodes(c, steps, waits); }, circuit_nodes::serially(c, steps));
}
bench::outcome compare_fluid(const bench::options& o) {
  if (this_node() != 0) return {};
  const int width = static_cast<int>(o.size), steps = static_cast<int>(o.steps / 20);
  return compare_deferred([&](bool waits) { return fluid_nodes::on_nodes(width, 3, steps, waits); }, fluid_nodes::serially(width, steps));
}

/// The demo particles: how much faster it is with a balancer than without, and how evenly the nodes were loaded with it.
particles::report run_particles(const bench::options& o, const char* balancers) {
  const particles::problem what{.count = static_cast<std::uint32_t>(o.size), .steps = static_cast<std::uint32_t>(o.steps / 40)};
  return particles::run({.what = what, .patches = cut_for(what, 128, job_nodes()), .balancers = particles::read_balancers(balancers)}, 1);
}
bench::outcome compare_particles(const bench::options& o) {
  if (this_node() != 0) return {};
  const particles::report r = run_particles(o, "none,hints");
  return {.value = r.gain(r.runs.back())};
}
bench::outcome weigh_particles(const bench::options& o) {
  if (this_node() != 0) return {};
  const particles::report r = run_particles(o, "hints");
  return {.value = particles::summary_of(r.runs.back().loads.of_time, r.warm_up()).mean};
}

}  // namespace

int main(int argc, char** argv) {
  using bench::better;
  // Only where it is asked for: the others are of the host.
  has_device = std::any_of(argv, argv + argc, [](std::string_view a) { return a.find("_device") != a.npos; });
  if (has_device) setenv("STRETTO_DEVICE_HOST_MEMORY", "256M", 0);  // for what is shared
  runtime rt(has_device ? runtime_options{.workers = 1, .devices = "opencl"} : runtime_options{.workers = 1});
  const bench::program system{.system = "stretto_jobs",
                              .entries = {{"nodes_latency", "us one way", better::lower, 8, time_copies},
                                          {"nodes_put", "us one way", better::lower, 8, time_puts},
                                          {"nodes_put_object", "us one way", better::lower, 8, time_objects},
                                          {"nodes_put_buffer", "us one way", better::lower, 8, time_buffers},
                                          {"nodes_put_device", "us one way", better::lower, 8, time_puts},
                                          {"nodes_put_device_object", "us one way", better::lower, 8, time_objects},
                                          {"nodes_put_device_buffer", "us one way", better::lower, 8, time_buffers},
                                          {"nodes_put_device_shared", "us one way", better::lower, 8, time_shared},
                                          {"nodes_ring", "us per hop", better::lower, 0, time_ring},
                                          {"nodes_calls", "us one way", better::lower, 0, time_calls},
                                          {"nodes_grants", "Mgrants/s", better::higher, 0, count_grants},
                                          {"nodes_quiescence", "us", better::lower, 0, time_quiescence},
                                          {"nodes_jacobi", "Mcells/s", better::higher, 96, count_jacobi<1>},
                                          {"nodes_jacobi_two", "Mcells/s", better::higher, 96, count_jacobi<2>},
                                          {"nodes_jacobi_four", "Mcells/s", better::higher, 96, count_jacobi<4>},
                                          {"nodes_levels", "times deferred", better::higher, 96, compare_levels},
                                          {"nodes_circuit", "times deferred", better::higher, 12, compare_circuit},
                                          {"nodes_fluid", "times deferred", better::higher, 24, compare_fluid},
                                          {"nodes_particles", "times without", better::higher, 120'000, compare_particles},
                                          {"nodes_particles_imbalance", "busiest to mean", better::lower, 120'000, weigh_particles}},
                              .out = rt.node() == 0 ? stdout : nullptr};
  return rt.run([&] { return bench::run(system, argc, argv); });
}
