// The module's tests, on any number of ranks: upcxx_test WORKERS [given]
//
//   given   the program initialises UPC++, and makes several runtimes one after another
#include <stretto_upcxx/upcxx_atomic_domain.hpp>
#include <stretto_upcxx/upcxx_dist_object.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>

using namespace stretto;
using upcxx::atomic_op;

namespace {

int failures = 0;
std::shared_ptr<upcxx_module> pgas;

void check(bool is_right, const char* what) {
  if (!is_right) std::printf("FAILED on rank %d: %s\n", pgas ? pgas->rank() : -1, what), ++failures;
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

int behind(int n) { return (pgas->rank() + n) % pgas->ranks(); }
int next() { return behind(1); }
int previous() { return behind(pgas->ranks() - 1); }

std::atomic<long> served{0};

void test_remote_calls() {
  check(pgas->rpc(next(), [](int a, double b) { return a * b; }, 6, 7.0).get() == 42, "a result comes back");
  check(pgas->rpc(next(), [] { return pgas->rank(); }).get() == next(), "the function runs at its rank");
  check(pgas->rpc(pgas->rank(), [] { return 3; }).get() == 3, "at that of the caller, too");
  const std::vector<std::string> words{"remote", " ", "call"};
  const auto joined = pgas->rpc(
      next(),
      [](const std::vector<std::string>& all) { return std::accumulate(all.begin(), all.end(), std::string()); },
      words);
  check(joined.get() == "remote call", "arguments and results may have any size");
  pgas->rpc(next(), [] { served += 100; }).get();
  pgas->barrier().get();
  check(served.exchange(0) == 100, "a call without a result has ended when its future is ready");
  pgas->barrier().get();

  // A remote call is a task: it waits for other remote calls, of its own caller, too.
  const auto there_and_back = pgas->rpc(
      next(), [](int caller) { return 1 + pgas->rpc(caller, [] { return async([] { return 10; }).get(); }).get(); },
      pgas->rank());
  check(there_and_back.get() == 11, "a remote call may wait");

  std::vector<future<int>> many;
  for (int i = 0; i < 500; ++i) many.push_back(pgas->rpc(behind(i), [](int n) { return 2 * n; }, i));
  long sum = 0;
  for (auto& f : many) sum += f.get();
  check(sum == 500 * 499, "many calls are on their way at a time");

  const std::string why =
      thrown_by([] { pgas->rpc(next(), []() -> int { throw error("X01", "there is no bread"); }).get(); });
  check(has(why, "error M38") && has(why, "there is no bread"), "an exception comes back as text");
  check(has(thrown_by([] { pgas->rpc(pgas->ranks(), [] {}); }), "error M37"), "there is no rank behind the last");
}

void test_memory() {
  constexpr std::size_t n = 1000;
  using pointer = upcxx::global_ptr<long>;
  const pointer mine = pgas->start([] { return upcxx::new_array<long>(n); }).get();
  upcxx_dist_object<pointer> arrays(*pgas, mine);
  const pointer theirs = arrays.fetch(next()).get();
  pgas->rput(-5L, theirs + 3).get();
  pgas->barrier().get();
  check(mine.local()[3] == -5, "an element arrives");
  pgas->barrier().get();
  std::vector<long> values(n), back(n);
  std::iota(values.begin(), values.end(), 1000L * pgas->rank());
  pgas->rput<long>(values, theirs).get();
  pgas->barrier().get();
  check(mine.local()[n - 1] == 1000L * previous() + 999, "elements arrive");
  pgas->rget(theirs, std::span(back)).get();
  check(back == values && pgas->rget(theirs + 7).get() == values[7], "and are read again");

  const user_event gate = user_event::create();
  const auto late = pgas->start([=] { return upcxx::rput(1L, theirs); }, after(gate), name("late put"));
  check(pgas->rget(theirs).get() == values[0], "a call with preconditions waits for them");
  gate.trigger();
  late.get();
  check(pgas->rget(theirs).get() == 1, "and happens then");
  pgas->barrier().get();
  pgas->start([=] { upcxx::delete_array(mine); }).get();
}

void test_atomics() {
  const auto mine = pgas->start([] { return upcxx::new_<long>(0); }).get();
  const auto first = pgas->broadcast(mine, 0).get();
  upcxx_atomic_domain<long> all(*pgas, {atomic_op::load, atomic_op::store, atomic_op::add, atomic_op::fetch_add,
                                        atomic_op::compare_exchange, atomic_op::fetch_max, atomic_op::fetch_bit_or});
  std::vector<future<long>> seen;
  for (int i = 0; i < 50; ++i) seen.push_back(all.fetch_add(first, 1));
  for (auto& s : seen) check(s.get() >= 0, "fetch_add returns what was there");
  all.add(first, 2).get();
  pgas->barrier().get();
  check(all.load(first).get() == 52L * pgas->ranks(), "no addition is missing");
  pgas->barrier().get();
  const bool is_first = all.compare_exchange(first, 52L * pgas->ranks(), -1).get() == 52L * pgas->ranks();
  const int firsts = pgas->reduce_all(is_first ? 1 : 0, [](int a, int b) { return a + b; }).get();
  check(firsts == 1, "one rank alone finds the value that it expects");
  all.fetch_max(first, pgas->rank()).get();
  pgas->barrier().get();
  check(all.load(first).get() == pgas->ranks() - 1, "the greatest value remains");
  pgas->barrier().get();
  if (pgas->rank() == 0) all.store(first, 0).get();
  pgas->barrier().get();
  all.fetch_bit_or(first, 1L << pgas->rank()).get();
  pgas->barrier().get();
  check(all.load(first).get() == (1L << pgas->ranks()) - 1, "bits are combined");
  all.destroy().get();
  pgas->start([=] { upcxx::delete_(mine); }).get();
}

void test_dist_objects() {
  upcxx_dist_object<std::string> names(*pgas, "rank " + std::to_string(pgas->rank()));
  check(*names == "rank " + std::to_string(pgas->rank()), "the local value");
  check(names.fetch(next()).get() == "rank " + std::to_string(next()), "that of another");
  const auto changed = pgas->rpc(
      next(), [](upcxx::dist_object<std::string>& there, char more) { return *there += more; }, names.object(), '!');
  check(changed.get() == "rank " + std::to_string(next()) + "!", "a remote call has the object of its rank");
  pgas->barrier().get();
  check(names->back() == '!', "and changes it");
  pgas->barrier().get();
}

void test_collectives() {
  const auto sum = [](long a, long b) { return a + b; };
  const long ranks = pgas->ranks();
  for (int root = 0; root < ranks; ++root)
    check(pgas->broadcast(pgas->rank() * 10, root).get() == root * 10, "a broadcast reaches all");
  check(pgas->reduce_all<long>(pgas->rank(), sum).get() == ranks * (ranks - 1) / 2, "sums are right");
  std::vector<future<long>> sums;
  for (long i = 0; i < 20; ++i) sums.push_back(pgas->reduce_all(i, sum));
  for (long i = 0; i < 20; ++i)
    check(sums[static_cast<std::size_t>(i)].get() == i * ranks, "calls meet in their order");

  // A collective call that blocks starts when all have made it: meanwhile this rank serves the others.
  const auto ask = [] { return pgas->rpc(next(), [] { return 1; }).get(); };
  if (pgas->rank() % 2) check(ask() == 1, "a rank serves calls while it is ahead");
  auto half = pgas->split(upcxx::world(), pgas->rank() % 2, -pgas->rank());
  const auto later = pgas->barrier();
  if (pgas->rank() % 2 == 0) check(ask() == 1, "or behind");
  const auto team = half.get();
  later.get();
  const int members = pgas->ranks() / 2 + (pgas->rank() % 2 == 0 && pgas->ranks() % 2);
  check(team->rank_n() == members, "a team has those of one color");
  check((*team)[team->rank_n() - 1] == pgas->rank() % 2, "in the order of their keys");
  check(pgas->reduce_all<long>(1, sum, *team).get() == members, "collective calls of a team are its own");
  check(pgas->broadcast(pgas->rank(), 0, *team).get() == (*team)[0], "with its ranks");
  pgas->destroy(*team).get();
}

void test_conversions() {
  const auto squared = pgas->start([] {
    return upcxx::rpc(next(), [](int a) { return a * a; }, 9);  // inside of progress, not a task
  });
  check(squared.get() == 81, "a future of UPC++ becomes one of Stretto");
  const auto pair = pgas->start([] { return upcxx::make_future(1, std::string("two")); }).get();
  check(std::get<0>(pair) == 1 && std::get<1>(pair) == "two", "one of two values a future of a pair");

  const user_event gate = user_event::create();
  int seen_value = 0;
  const auto doubled = pgas->start([&] {
    return upcxx::make_future().then([&] {
      return to_upcxx(async(after(gate), [] { return 21; })).then([&](int n) { return seen_value = 2 * n; });
    });
  });
  const auto opened = pgas->start([&] { return to_upcxx(static_cast<event>(gate)).then([] { return 5; }); });
  check(seen_value == 0 && !opened.is_ready(), "a callback waits for Stretto's event");
  gate.trigger();
  check(doubled.get() == 42 && seen_value == 42 && opened.get() == 5,
        "a future of Stretto becomes one of UPC++, and again");
  const auto none = async([] {});
  check(pgas->start([&] { return to_upcxx(none).then([] { return 1; }); }).get() == 1, "one without a value, too");

  upcxx::future<> outside = [] {
    const auto held = pgas->calling();
    return upcxx::make_future();
  }();
  check(has(thrown_by([&] { to_stretto(outside); }), "error M39"), "a conversion needs the persona");
}

void test_many_tasks() {
  constexpr int tasks = 200;
  const auto cells = pgas->start([] { return upcxx::new_array<long>(tasks); }).get();
  upcxx_dist_object<upcxx::global_ptr<long>> arrays(*pgas, cells);
  const auto theirs = arrays.fetch(next()).get();
  finish([&] {
    for (int i = 0; i < tasks; ++i)
      async([=] {
        pgas->rput(static_cast<long>(i), theirs + i).get();
        const long there = pgas->rget(theirs + i).get();
        check(pgas->rpc(next(), [](long n) { return n + 1; }, there).get() == i + 1, "tasks communicate");
      });
    async([] { pgas->barrier().get(); });  // no task of this rank waits for those of others
  });
  pgas->barrier().get();
  check(cells.local()[7] == 7, "many at a time");
  pgas->start([=] { upcxx::delete_array(cells); }).get();
}

/// Calls that nobody waits for, and that make others.
void leave_calls() {
  for (int i = 0; i < 20; ++i)
    pgas->rpc_ff(next(), [] {
      ++served;
      pgas->rpc_ff(next(), [] {
        yield();
        ++served;
      });
    });
}

void run_all(std::uint32_t workers) {
  served = 0;
  pgas = std::make_shared<upcxx_module>();
  {
    runtime rt({.workers = workers, .modules = {pgas}});
    rt.run([] {
      test_remote_calls();
      test_memory();
      test_atomics();
      test_dist_objects();
      test_collectives();
      test_conversions();
      test_many_tasks();
      leave_calls();
    });
  }
  check(served == 40, "the end waits for calls of others");
  check(has(thrown_by([] { pgas->rpc(0, [] {}); }), "error M36"), "no calls without a runtime");
}

void start_again() {
  const std::string why = thrown_by([] { runtime rt({.workers = 1, .modules = {std::make_shared<upcxx_module>()}}); });
  check(has(why, "error M36") && has(why, "finalised in this process"), "UPC++ starts once in a process");
}

}  // namespace

int main(int argc, char** argv) {
  const auto workers = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 2);
  if (argc > 2 && std::strcmp(argv[2], "given") == 0) {
    upcxx::init();
    for (int i = 0; i < 3; ++i) run_all(workers);
    const upcxx::persona_scope as_master(upcxx::master_persona());
    upcxx::finalize();
  } else {
    run_all(workers);
    start_again();
  }
  if (!failures) std::printf("all is well\n");
  std::fflush(stdout);
  return failures ? 1 : 0;
}
