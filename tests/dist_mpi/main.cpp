// A program of several nodes, a process each: functions, events, failures, a finish, mobile objects, and arrays of
// theirs across them.
#include <stretto/buffer.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/mobile.hpp>
#include <stretto/platform.hpp>
#include <stretto/platform_of.hpp>
#include <stretto/remote.hpp>
#include <stretto/stretto.hpp>

#include <dlfcn.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "letters.hpp"
#include "thrown_by.hpp"

using namespace stretto;
using test::words_of;

namespace {

void expect(bool is_so, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "node %u: not so: %s\n", this_node(), what);
  std::_Exit(1);
}

std::vector<double> doubled(std::vector<double> v) {
  for (double& x : v) x *= 2;
  return v;
}

/// How many calls there were, counted over all nodes.
int spread(int depth) {
  if (depth == 0) return 1;
  auto left = async(at_node((this_node() + 1) % job_nodes()), call<&spread>(depth - 1));
  auto right = async(at_node((this_node() + 2) % job_nodes()), call<&spread>(depth - 1));
  return 1 + left.get() + right.get();
}

int left_behind = 0;
void leave_work(int depth) {
  ++left_behind;
  if (depth > 0) async(at_node((this_node() + 1) % job_nodes()), call<&leave_work>(depth - 1));
}
int count_left_behind() { return left_behind; }

std::string machine_text() { return this_machine().to_json(); }
std::string name_of(std::uint32_t index) { return this_machine().name(place{index}); }

void fail_with(const std::string& why) { throw std::runtime_error(why); }

std::uint32_t wait_here(event e) {
  wait(e);
  return this_node();
}

double weighted(const instance<double, 2>& u) {
  const auto v = u.view();
  double sum = 0;
  for (coordinate i = v.min(0); i < v.max(0); ++i)
    for (coordinate j = v.min(1); j < v.max(1); ++j) sum += v(i, j) * double(i + 1) * double(j + 1);
  return sum;
}

/// Elements of all sizes and layouts, from the next node to the one after it and home again.
void move_elements(std::uint32_t me, std::uint32_t all) {
  using grid = instance<double, 2>;
  for (const coordinate n : {1, 10, 700}) {
    const box whole{{0, 0}, {n, n}};
    const auto [a, made_a] = grid::create(at_node(me), whole);
    wait(made_a);
    auto v = a.view();
    for (coordinate i = 0; i < n; ++i)
      for (coordinate j = 0; j < n; ++j) v(i, j) = double(i * n + j + me);
    const double is_right = weighted(a);
    const grid b = grid::create(at_node((me + 1) % all), whole, {.order = axis_order::fortran}).made;
    const grid c = grid::create(at_node((me + 2) % all), {{0, 0}, {n, n + 3}}).made,
               d = grid::create(at_node(me), whole).made;
    event e = copy(a, b);
    e = copy(b, c, whole, after(e, fill(c, 0.0)));  // asked for by a third node
    e = copy(c, d, whole, after(e));
    wait(e);
    expect(weighted(d) == is_right, "elements that went round");
    expect(async(at_node(c.node()), call<&weighted>(c)).get() == is_right, "elements that were looked at elsewhere");
    e = reduce<sum<double>>(d, b, after(e));
    wait(e);
    expect(async(at_node(b.node()), call<&weighted>(b)).get() == 2 * is_right, "values reduced elsewhere");
    wait(merge({a.destroy(), b.destroy(), c.destroy(), d.destroy()}));
  }
}

/// Writes down who has sent what, in the order in which it comes.
struct book {
  std::vector<std::pair<std::uint32_t, int>> lines;
  std::vector<double> weight;
  void write(std::uint32_t node, int number) { lines.emplace_back(node, number); }
  std::vector<std::pair<std::uint32_t, int>> read() const { return lines; }
  template <class Archive>
  friend void fields(Archive& a, archived<book, Archive>& b) {
    a(b.lines, b.weight);
  }
};

/// Every node sends to the object that node 0 has made, and moves it.
void send_lines(mobile<book> to, int count) {
  const std::uint32_t me = this_node(), all = job_nodes();
  for (int i = 0; i < count; ++i) {
    send(to, call<&book::write>(me, i));
    if (i % 10 == 5) migrate(to, at_node((me + std::uint32_t(i)) % all));
  }
}

void mobile_program() {
  const std::uint32_t all = job_nodes();
  if (this_node() != 0) return;
  for (const std::size_t size : {std::size_t{0}, std::size_t{200'000}}) {
    const auto m = make_mobile<book>(at_node(all - 1), name("book"));
    send(m, call([](book& b, std::size_t n) { b.weight.resize(n, 1.5); }, size));
    finish([&] {
      for (std::uint32_t n = 0; n < all; ++n) async(at_node(n), call<&send_lines>(m, 100));
    });
    std::vector<int> next(all);
    for (const auto& [node, number] : send(m, call<&book::read>()).get())
      expect(number == next[node]++, "messages of a node in its order");
    for (const int n : next) expect(n == 100, "every message once");
    expect(send(m, call([](const book& b) { return std::accumulate(b.weight.begin(), b.weight.end(), 0.0); })).get() ==
               1.5 * double(size),
           "an object that has moved");
    destroy(m).get();
    bool is_told = false;
    try {
      send(m, call<&book::read>()).get();
    } catch (const std::exception& e) {
      is_told = std::string(e.what()).find("G02") != std::string::npos;
    }
    expect(is_told, "what is sent to a destroyed object");
  }
}

STRETTO_KERNEL(count_up, (out<int> x, int first), { x(global_id(0)) = first + global_id(0); })
STRETTO_KERNEL(add_one, (inout<int> x, int by), { x(global_id(0)) += by; })

struct array_keeper {
  object<int> mine;
  void take(object<int> o) { mine = std::move(o); }
  void add(int by) { launch(add_one, mine.elements(), mine, by); }
  object<int> given() const { return mine; }
  template <class Archive>
  friend void fields(Archive& a, archived<array_keeper, Archive>& k) {
    a(k.mine);
  }
};

/// Arrays go to an object that moves, and come back; in the message, in one piece, in several.
void array_program() {
  const std::uint32_t all = job_nodes();
  if (this_node() != 0) return;
  for (const int size : {10, 5000, 900'000}) {
    const auto m = make_mobile<array_keeper>(at_node(all - 1));
    object<int> o(box(0, size));
    launch(count_up, o.elements(), o, 7);
    send(m, call<&array_keeper::take>(std::move(o)));
    for (std::uint32_t i = 1; i <= 10; ++i) {
      send(m, call<&array_keeper::add>(static_cast<int>(i)));
      migrate(m, at_node(i * 3 % all));
    }
    const auto back = send(m, call<&array_keeper::given>()).get();
    const auto seen = back.read().get();
    for (int i = 0; i < size; ++i) expect(seen.view()(i) == 7 + 55 + i, "an array that has been on every node");
    destroy(m).get();
  }
}

/// Each makes an array in the memory of all, which the others read and write a part of.
void lend(const runtime& rt) {
  const std::uint32_t me = this_node(), all = job_nodes();
  const auto lending = rt.machine().places(place_kind::global_memory);
  if (lending.empty()) return;
  using numbers = instance<double>;
  const coordinate size = 100'000;  // on all nodes
  const auto mine = numbers::create(at(lending.front()), {0, size}).made;
  wait(fill(mine, 1.0 + me));
  const auto use = [](const numbers& theirs, std::uint32_t by, coordinate n) {
    const auto [here, ready] = numbers::create(at_node(this_node()), {0, n});
    wait(theirs.ready());
    wait(copy(theirs, here));
    double sum = 0;
    for (coordinate i = 0; i < n; ++i) sum += here.view()(i);
    here.view()(by) = 100.0 + by;
    wait(copy(here, theirs, box(by, by + 1)));
    here.destroy();
    return sum;
  };
  for (std::uint32_t n = 0; n < all; ++n) {
    const double before =
        static_cast<double>(size) * (1.0 + me) + (n ? n * 100.0 + n * (n - 1) / 2.0 - n * (1.0 + me) : 0.0);
    expect(async(at_node(n), call(use, mine, n, size)).get() == before, "numbers that another node reads by itself");
  }
  const auto [here, ready] = numbers::create(at_node(me), {0, size});
  wait(copy(mine, here, after(ready)));
  for (std::uint32_t n = 0; n < all; ++n)
    expect(here.view()(n) == 100.0 + n, "a number that another node wrote by itself");
  wait(merge(mine.destroy(), here.destroy()));
  std::printf("node %u has lent\n", me);
}

void program() {
  const std::uint32_t me = this_node(), all = job_nodes();
  for (std::uint32_t n = 0; n < all; ++n)
    for (const std::size_t size : {std::size_t{3}, std::size_t{400'000}}) {  // with the message, and by rendezvous
      const auto back = async(at_node(n), call<&doubled>(std::vector<double>(size, me + 1.0))).get();
      expect(back.size() == size && std::accumulate(back.begin(), back.end(), 0.0) == 2.0 * double(size) * (me + 1.0),
             "numbers doubled elsewhere");
    }
  expect(async(at_node((me + 1) % all), call<&spread>(6)).get() == 127, "calls that spread over all nodes");

  // Events: made here, waited for everywhere, triggered there.
  const auto e = user_event::create();
  std::vector<future<std::uint32_t>> waiting;
  for (std::uint32_t n = 0; n < all; ++n) waiting.push_back(async(at_node(n), call<&wait_here>(event(e))));
  async(at_node((me + 1) % all), call([](user_event e) { e.trigger(); }, e));
  for (std::uint32_t n = 0; n < all; ++n) expect(waiting[n].get() == n, "waited for an event of another node");

  const auto never = user_event::create();
  const auto skipped = async(at_node((me + 1) % all), after(never), call<&fail_with>("it ran all the same"));
  never.poison(std::make_exception_ptr(std::runtime_error("the key is lost")));
  expect(words_of(skipped).find("the key is lost") != std::string::npos, "a poison that crosses nodes");
  expect(words_of(async(at_node((me + 1) % all), call<&fail_with>("no paper left"))).find("no paper left") !=
             std::string::npos,
         "what a function throws elsewhere");

  move_elements(me, all);

  for (std::uint32_t n = 0; n < all; ++n) {
    const platform there = platform_of(at_node(n)).get();
    expect(there.to_json() == async(at_node(n), call<&machine_text>()).get(), "the machine of a node as it is there");
    const place core = there.home(there.worker_count() - 1);
    expect(async(at_node(n), at(core), call<&name_of>(core.index)).get() == there.name(core),
           "a place that another node's machine names");
    const auto [far, made] = instance<int>::create(at_node(n), at(there.memories().front()), box(0, 10));
    expect(words_of(async(after(fill(far, 3, after(made))), [] {})).empty(),
           "an instance in a memory that another node's machine names");
    wait(far.destroy());
  }

  if (me == 0) {
    finish([] { async(call<&leave_work>(20)); });
    int sum = 0;
    for (std::uint32_t n = 0; n < all; ++n) sum += async(at_node(n), call<&count_left_behind>()).get();
    expect(sum == 21, "a finish over nodes");
  }
}

}  // namespace

/// It hangs: the last node does not arrive.
void leave_the_others(barrier together) {
  if (this_node() == job_nodes() - 1) return;
  together.arrive();
  wait(together.event());
}

namespace {

/// How many passes the handlers of this node have had.
std::atomic<long> passes_here = 0;

/// Tokens that go round a ring of objects.
struct counter {
  std::size_t me = 0;
  long passes = 0;
  collection<counter> ring;
  counter() = default;
  explicit counter(std::size_t i) : me(i) {}
  void know(collection<counter> all) { ring = all; }
  void pass(int left) {
    ++passes, ++passes_here;
    if (left > 1) detached([&] { send(ring[(me + 1) % ring.size()], call<&counter::pass>(left - 1)); });
  }
  long count() const { return passes; }
  template <class Archive>
  friend void fields(Archive& a, archived<counter, Archive>& c) {
    a(c.me, c.passes, c.ring);
  }
};

/// The value that this node keeps for itself.
std::optional<per_node_values> mine;
int keep_here() {
  return mine.emplace().keep("passes", [] { return passes_here.load(); }), 0;
}
long passes_of_node() { return passes_here; }
int take_over(const std::string& directory) {
  const checkpoint saved = open_checkpoint(directory, verification::when_read);
  for (const std::uint32_t n : saved.nodes_here()) passes_here += saved.value_of_node<long>(n, "passes");
  return 0;
}

/// Is killed behind its checkpoint.
void save(const std::string& directory) {
  if (this_node() != 0) return;
  for (std::uint32_t n = 0; n < job_nodes(); ++n) async(at_node(n), call<&keep_here>()).get();
  const auto ring = make_collection<counter>(7);
  broadcast(ring, call<&counter::know>(ring)).get();
  detached([&] {
    for (std::size_t t = 0; t < 4; ++t) send(ring[t], call<&counter::pass>(2000));
  });
  save_checkpoint(directory, {keep("ring", ring)}).get();
  std::raise(SIGKILL);
}
void restore(const std::string& directory) {
  if (this_node() != 0) return;
  const checkpoint saved = open_checkpoint(directory);
  for (std::uint32_t n = 0; n < job_nodes(); ++n) async(at_node(n), call<&take_over>(directory)).get();
  saved.restore_objects();
  wait(quiescence());
  long passes = 0;
  for (std::uint32_t n = 0; n < job_nodes(); ++n) passes += async(at_node(n), call<&passes_of_node>()).get();
  const auto ring = saved.value<collection<counter>>("ring");
  std::printf("%ld passes, %ld by nodes, on %u nodes, saved by %u\n",
              reduce(ring, call<&counter::count>(), 0L, std::plus<>()).get(), passes, job_nodes(), saved.nodes());
}

STRETTO_KERNEL(begin_as_place, (out<unsigned> u), { u(global_id(0)) = unsigned(global_id(0)); })
STRETTO_KERNEL(add_next, (in<unsigned> u, out<unsigned> v, int n),
               { v(global_id(0)) = u(global_id(0)) + u((global_id(0) + 1) % n); })

/// Launches on buffers, of which node `odd` makes one less.
void launch_apart(std::uint32_t odd) {
  const box all_of(0, 1000);
  buffer<unsigned> u(all_of), v(all_of);  // sums beyond what an int holds
  launch(begin_as_place, all_of, u(one_to_one));
  for (int i = 0; i < 50; ++i) {
    if (i == 40 && this_node() == odd) continue;
    launch(add_next, all_of, u(wrapped(1)), v(one_to_one), 1000);
    std::swap(u, v);
  }
  u.read().get();
}

/// The run of one node fails before it has made all of its launches, whose elements others wait for.
void launch_and_fail(std::uint32_t odd) {
  const box all_of(0, 1000);
  buffer<unsigned> u(all_of), v(all_of);  // sums beyond what an int holds
  launch(begin_as_place, all_of, u(one_to_one));
  for (int i = 0; i < 50; ++i) {
    if (i == 40 && this_node() == odd) throw std::runtime_error("the disk is full");
    launch(add_next, all_of, u(wrapped(1)), v(one_to_one), 1000);
    std::swap(u, v);
  }
  u.read().get();
}

barrier of_all_nodes() {
  static const barrier b = barrier::create(job_nodes());
  return b;
}
event never_triggered() {
  static const user_event e = user_event::create();
  return e;
}

/// The run of one node fails before it has done what the others wait for: its arrival at a barrier, the trigger of its
/// event.
void wait_by_oneself(std::uint32_t odd, bool at_barrier) {
  if (this_node() == odd) throw std::runtime_error("the disk is full");
  if (!at_barrier) return wait(async(at_node(odd), call<&never_triggered>()).get());
  const barrier b = async(at_node(0), call<&of_all_nodes>()).get();
  b.arrive();
  wait(b);
}

/// One node is killed before it has made its launch of number `at`, whose elements others wait for. They catch nothing.
void launch_and_die(std::uint32_t victim, int at, int points) {
  const box all_of(0, points);
  buffer<unsigned> u(all_of, {.name = "u"}), v(all_of, {.name = "v"});
  launch(begin_as_place, all_of, u(one_to_one));
  for (int i = 0; i < 50; ++i) {
    if (i == at && this_node() == victim) std::raise(SIGKILL);
    launch(add_next, all_of, u(wrapped(1)), v(one_to_one), points);
    std::swap(u, v);
  }
  if (at == 50 && this_node() == victim) std::raise(SIGKILL);
  u.read().get();
  if (this_node() == victim) std::raise(SIGKILL);
}

}  // namespace

/// As a program does that knows nothing of threads, before there is a runtime: one thread alone may call MPI then.
class plain_mpi {
 public:
  explicit plain_mpi(const char* library) : handle_(dlopen(library, RTLD_NOW | RTLD_GLOBAL)) {
    if (!handle_) throw std::runtime_error(dlerror());
    if (reinterpret_cast<int (*)(int*, char***)>(dlsym(handle_, "MPI_Init"))(nullptr, nullptr))
      throw std::runtime_error("MPI_Init");
  }
  ~plain_mpi() { reinterpret_cast<int (*)()>(dlsym(handle_, "MPI_Finalize"))(); }
  plain_mpi(const plain_mpi&) = delete;
  plain_mpi& operator=(const plain_mpi&) = delete;

 private:
  void* handle_;
};

int main(int count, char** words) {
  try {
    std::optional<plain_mpi> mpi;
    if (count > 2 && std::string_view(words[1]) == "begun") {
      mpi.emplace(words[2]);
      count = 1;
    }
    runtime rt;
    if (count > 1 && std::string_view(words[1]) == "hang") {
      rt.run([] {
        const auto together = barrier::create(job_nodes());
        if (this_node() == 0)
          for (std::uint32_t n = 0; n < job_nodes(); ++n) async(at_node(n), call<&leave_the_others>(together));
      });
      return 0;
    }
    if (count > 1 && std::string_view(words[1]) == "apart") {
      rt.run([] { launch_apart(2); });
      return 0;
    }
    if (count > 1 && std::string_view(words[1]) == "fails") {
      rt.run([] { launch_and_fail(2); });
      return 0;
    }
    if (count > 2 && std::string_view(words[1]) == "waits") {
      rt.run([&] { wait_by_oneself(2, std::string_view(words[2]) == "barrier"); });
      return 0;
    }
    if (count > 3 && std::string_view(words[1]) == "dies") {
      rt.run([&] { launch_and_die(2, std::stoi(words[2]), std::stoi(words[3])); });
      return 0;
    }
    if (count > 2 && std::string_view(words[1]) == "dies_among_letters") {
      rt.run([&] { test::die_among_letters(std::stol(words[2])); });
      return 0;
    }
    if (count > 1 && (std::string_view(words[1]) == "floods" || std::string_view(words[1]) == "large")) {
      rt.run(std::string_view(words[1]) == "floods" ? test::flood_the_last : test::refuse_what_is_large);
      std::printf("node %u of %u is content\n", rt.node(), rt.nodes());
      return 0;
    }
    if (count > 1 && std::string_view(words[1]) == "devices") {
      std::string has;
      for (const place d : rt.machine().places(place_kind::gpu_memory))
        has += " " + rt.machine().name(d) + "=" + std::to_string(*rt.machine().about(d).capacity_bytes >> 20);
      std::printf("node %u of %u:%s\n", rt.node(), rt.nodes(), has.c_str());
      return 0;
    }
    if (count > 2) {
      rt.run([&] { std::string_view(words[1]) == "save" ? save(words[2]) : restore(words[2]); });
      return 0;
    }
    rt.run(program);
    rt.run(mobile_program);
    rt.run(array_program);
    rt.run(test::send_buffers);
    rt.run([&] { lend(rt); });
    std::printf("node %u of %u is content\n", rt.node(), rt.nodes());
  } catch (const std::exception& e) {
    std::puts(e.what());
    return 1;
  }
}
