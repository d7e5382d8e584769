// The module's tests, a process for each PE: oshrun -n N shmem_test WORKERS [given | ends | stuck]
//
//   given   the program initialises OpenSHMEM, and makes several runtimes one after another
//   ends    starts and ends
//   stuck   waits for what never happens
#include <stretto_shmem/shmem_module.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

using namespace stretto;
using shmem::comparison;

namespace {

int failures = 0;
std::shared_ptr<shmem_module> net;

void check(bool is_right, const char* what) {
  if (!is_right) std::printf("FAILED on PE %d: %s\n", net ? net->pe() : -1, what), ++failures;
}

template <class Body>
std::string thrown_by(Body&& body) {
  try {
    body();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}
bool has(const std::string& text, const char* part) { return text.find(part) != text.npos; }

int next() { return (net->pe() + 1) % net->pes(); }
int previous() { return (net->pe() + net->pes() - 1) % net->pes(); }

void test_memory() {
  constexpr std::size_t n = 1000;
  int* const there = net->allocate<int>(n).get();
  check(std::accumulate(there, there + n, 0) == 0, "new memory has the value 0");
  net->barrier().get();
  std::vector<int> mine(n);
  std::iota(mine.begin(), mine.end(), 1000 * net->pe());
  net->put(there, mine, next()).get();
  net->barrier().get();
  check(there[0] == 1000 * previous() && there[n - 1] == 1000 * previous() + 999, "elements arrive");
  std::vector<int> back(n);
  net->get(std::span(back), there, next()).get();
  check(back == mine, "and are read again");
  check(net->get(there + 5, next()).get() == mine[5], "one element, too");
  net->barrier().get();

  const user_event gate = user_event::create();
  auto late = net->put(there, -7, next(), after(gate), name("late put"));
  check(net->get(there, next()).get() == mine[0], "a put with preconditions waits for them");
  gate.trigger();
  late.get();
  net->quiet().get();
  check(net->get(there, next()).get() == -7, "and happens then");
  net->barrier().get();

  net->put_strided(there, 2, mine.data(), 3, 100, next()).get();
  net->barrier().get();
  check(there[198] == 1000 * previous() + 297 && there[1] == 1000 * previous() + 1, "strided elements arrive");
  std::vector<int> every_second(100);
  net->get_strided(every_second.data(), 1, there, 2, 100, next()).get();
  check(every_second[99] == mine[297], "and are read again");
  net->free(there).get();
}

void test_atomics() {
  struct counters {
    long sum;
    unsigned long long taken;
    double real;
  };
  auto* const c = net->allocate<counters>(1).get();
  std::vector<future<long>> seen;
  for (int i = 0; i < 50; ++i) seen.push_back(net->atomic_fetch_add(&c->sum, 1, 0));
  for (auto& s : seen) check(s.get() >= 0, "fetch_add returns what was there");
  net->atomic_add(&c->sum, 2, 0).get();
  net->barrier().get();
  check(net->atomic_fetch(&c->sum, 0).get() == 52L * net->pes(), "no addition is missing");
  const auto mine = static_cast<unsigned long long>(net->pe() + 1);
  const bool is_first = net->atomic_compare_swap(&c->taken, 0, mine, 0).get() == 0;
  long* const firsts = net->allocate<long>(1).get();
  if (is_first) net->atomic_add(firsts, 1, 0).get();
  net->barrier().get();
  check(net->get(firsts, 0).get() == 1, "one PE alone finds the value that it expects");
  net->atomic_set(&c->real, 1.5, net->pe()).get();
  check(net->atomic_swap(&c->real, 2.5, net->pe()).get() == 1.5 && c->real == 2.5, "real numbers are exchanged");
  net->barrier().get();

  struct words {
    unsigned bits, neighbour;
    std::int64_t flags;
  };
  auto* const w = net->allocate<words>(1).get();
  w->flags = -1, w->neighbour = 77;
  net->barrier().get();
  net->atomic_or(&w->bits, 1U << net->pe(), 0).get();
  net->barrier().get();
  check(net->atomic_fetch(&w->bits, 0).get() == (1U << net->pes()) - 1, "bits of all are set");
  net->barrier().get();
  check(net->atomic_fetch_xor(&w->bits, 1U << net->pe(), 0).get() >> net->pe() & 1, "each changes its own");
  net->barrier().get();
  check(net->atomic_fetch_or(&w->bits, 0, 0).get() == 0 && w->neighbour == 77, "all are changed, and nothing else");
  check(net->atomic_fetch_and(&w->flags, 6, next()).get() == -1, "what was there comes back");
  net->barrier().get();
  net->atomic_xor(&w->flags, 1, next()).get();
  net->barrier().get();
  check(w->flags == 7, "signed numbers have bits, too");
  net->free(w).get();
  net->free(firsts).get();
  net->free(c).get();
}

void test_conditions() {
  struct mailbox {
    long text[64];
    unsigned long signal;
    int small;
  };
  auto* const box = net->allocate<mailbox>(1).get();
  auto got = net->async_when(&box->signal, comparison::equal, 1,
                             [=] { return std::accumulate(box->text, box->text + 64, 0L); });
  auto negative = net->when(&box->small, comparison::less, 0);
  auto positive = net->when(&box->small, comparison::greater, 1'000'000);
  check(!got.is_ready(), "a condition that does not hold keeps its task");
  net->barrier().get();  // all have looked
  std::vector<long> text(64, net->pe() + 1);
  net->put_signal(box->text, text, &box->signal, 1, next()).get();
  check(got.get() == 64L * (previous() + 1), "who sees the signal sees the elements");
  net->atomic_set(&box->small, -1, next()).get();
  wait(negative);
  check(!positive.has_triggered(), "negative numbers are less than positive ones");
  net->barrier().get();
  net->atomic_set(&box->small, 2'000'000, next()).get();
  wait(positive);
  net->wait_until(&box->small, comparison::at_least, 2'000'000);
  check(net->when(&box->small, comparison::greater, 0).has_triggered(), "a condition that holds is not waited for");
  net->barrier().get();

  // Many conditions on one element, met by one value after another.
  auto* const steps = net->allocate<long>(1).get();
  std::vector<event> reached;
  for (long i = 1; i <= 300; ++i) reached.push_back(net->when(steps, comparison::at_least, i));
  for (long i = 1; i <= 300; ++i) {
    net->atomic_add(steps, 1, next()).get();
    if (i % 100 == 0) {
      wait(reached[static_cast<std::size_t>(i) - 1]);
      net->barrier().get();
    }
  }
  for (const event e : reached) wait(e);
  check(net->when(steps, comparison::at_least, 300).has_triggered() || *steps == 300, "a condition that holds is met");
  net->free(steps).get();

  // Many conditions at a time, met in the other order.
  constexpr int n = 20'000;
  auto* const flags = net->allocate<int>(n).get();
  std::atomic<int> met{0};
  std::vector<future<void>> tasks;
  for (int i = 0; i < n; ++i) tasks.push_back(net->async_when(flags + i, comparison::not_equal, 0, [&met] { ++met; }));
  for (int i = n; i-- > 0;) net->put(flags + i, 1, next());
  for (auto& t : tasks) t.get();
  check(met == n, "each of many conditions runs its task once");
  net->barrier().get();
  net->free(flags).get();
  net->free(box).get();
}

void test_collectives() {
  constexpr int n = 10;
  const int pes = net->pes();
  auto* const out = net->allocate<long>(static_cast<std::size_t>(n * pes)).get();
  auto* const in = net->allocate<long>(static_cast<std::size_t>(n * pes)).get();
  for (int i = 0; i < n * pes; ++i) out[i] = 100 * net->pe() + i;
  for (int root = 0; root < pes; ++root) {
    net->broadcast(in, out, n, root).get();
    check(in[3] == 100 * root + 3, "a broadcast reaches all, its root, too");
    net->barrier().get();
  }
  const long all = pes * (pes - 1) / 2;
  net->reduce<shmem::operation::sum>(in, out, n).get();
  check(in[2] == 100 * all + 2 * pes, "sums are right");
  net->reduce<shmem::operation::greatest>(in, out, n).get();
  check(in[2] == 100 * (pes - 1) + 2, "the greatest values, too");
  net->collect(in, out, n).get();
  check(in[n * (pes - 1) + 1] == 100 * (pes - 1) + 1, "the elements of all lie behind each other");
  net->alltoall(in, out, n).get();
  check(in[n * previous() + 4] == 100 * previous() + n * net->pe() + 4, "each PE gets its elements from each");
  // A later call of one PE and an earlier one of another do not meet.
  std::vector<future<void>> many;
  for (int i = 0; i < 20; ++i) many.push_back(net->barrier());
  for (auto& b : many) b.get();
  net->free(in).get();
  net->free(out).get();
}

void test_many_tasks() {
  constexpr int tasks = 200;
  auto* const cells = net->allocate<long>(tasks).get();
  finish([&] {
    for (int i = 0; i < tasks; ++i)
      async([=] {
        net->put(cells + i, static_cast<long>(i + 1), next()).get();
        net->wait_until(cells + i, comparison::at_least, i + 1);
        net->atomic_fetch_add(cells + i, 1000, next()).get();
      });
    async([] { net->barrier().get(); });  // no task of this PE waits for those of others
  });
  net->barrier().get();
  check(cells[7] == 1008, "many tasks communicate at the same time");
  net->free(cells).get();

  // A lock of all PEs.
  auto* const guarded = net->allocate<long>(2).get();
  for (int i = 0; i < 10; ++i) {
    net->lock(guarded).get();
    const long value = net->get(guarded + 1, 0).get();
    net->put(guarded + 1, value + 1, 0).get();
    net->quiet().get();
    net->unlock(guarded);
  }
  net->barrier().get();
  check(net->get(guarded + 1, 0).get() == 10L * net->pes(), "a lock excludes the others");
  net->free(guarded).get();
}

void test_faults() {
  static long mine = 0;
  check(has(thrown_by([] { net->put(&mine, 1L, net->pes()); }), "error M31"), "there is no PE behind the last");
  check(has(thrown_by([] { net->get(&mine, -1).get(); }), "error M31"), "nor ahead of the first");
  check(has(thrown_by([] { net->allocate<char>(std::size_t{1} << 50).get(); }), "error M32"), "memory is finite");
}

/// A module that is finalised after that of OpenSHMEM.
class ends_later final : public module {
 public:
  std::string_view name() const noexcept override { return "later"; }
  void initialise(module_host&) override {}
  void finalise() override {
    why = thrown_by([&] { never_met.result().rethrow(); });
  }

  event never_met;
  std::string why;
};

module_statistics counted(runtime& rt, const std::string& what) {
  for (const auto& s : rt.statistics().modules)
    if (s.module == "shmem" && s.what == what) return s;
  return {};
}

void run_all(std::uint32_t workers, bool is_started) {
  net = std::make_shared<shmem_module>(shmem_options{.is_started = is_started});
  static long never = 0;
  const auto later = std::make_shared<ends_later>();
  {
    runtime rt({.workers = workers, .modules = {later, net}});
    rt.run([&] {
      test_memory();
      test_atomics();
      test_conditions();
      test_collectives();
      test_many_tasks();
      test_faults();
      later->never_met = net->when(&never, comparison::equal, 1);
      const auto seen = [&](const char* what) { return counted(rt, what); };
      check(seen("puts").count >= 1000 && seen("puts").bytes >= 4000, "puts are counted");
      check(seen("conditions").count > 20'000 && seen("conditions").seconds > 0, "and conditions, with their time");
      check(seen("gets").count && seen("atomics").count && seen("collective calls").count, "and other calls");
    });
  }
  check(has(later->why, "error M40") && has(later->why, " == 1") && has(later->why, "shmem_test.cpp"),
        "a condition that is never met says so");
  check(has(thrown_by([] { net->put(&never, 1L, 0); }), "error M30"), "no calls without a runtime");
}

void start_again() {
  const std::string why = thrown_by([] { runtime rt({.workers = 1, .modules = {std::make_shared<shmem_module>()}}); });
  check(has(why, "error M30") && has(why, "finalised in this process"), "OpenSHMEM starts once in a process");
}

}  // namespace

int main(int argc, char** argv) {
  const auto workers = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 2);
  if (argc > 2 && std::strcmp(argv[2], "given") == 0) {
    int level = 0;
    shmem_init_thread(SHMEM_THREAD_SERIALIZED, &level);
    for (int i = 0; i < 3; ++i) run_all(workers, true);
    shmem_finalize();
  } else if (argc > 2 && std::strcmp(argv[2], "ends") == 0) {
    runtime rt({.workers = workers, .modules = {std::make_shared<shmem_module>()}});
    rt.run([] { this_runtimes<shmem_module>().barrier().get(); });
  } else if (argc > 2 && std::strcmp(argv[2], "stuck") == 0) {
    net = std::make_shared<shmem_module>();
    runtime rt({.workers = workers, .modules = {net}});
    rt.run([] {
      static long mail = 7;
      net->async_when(&mail, comparison::equal, 42, [] {}, name("reader"));
      net->wait_until(&mail, comparison::less, -1);
    });
  } else {
    run_all(workers, false);
    start_again();
  }
  if (!failures) std::printf("all is well\n");
  return failures ? 1 : 0;
}
