// Messages between two: every spelling, with answers that are known.
#include "tests.hpp"

#include <numeric>
#include <vector>

#include "checks.hpp"

using namespace stretto;

namespace {

struct particle {
  double x, y;
  int kind;
  friend bool operator==(const particle&, const particle&) = default;
};

std::vector<int> numbered(int first, std::size_t n) {
  std::vector<int> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}

void ranges_go_round(const mpi::communicator& c, std::size_t n) {
  const int right = (c.rank() + 1) % c.size(), left = (c.rank() + c.size() - 1) % c.size();
  const auto out = numbered(c.rank() * 1000, n);
  std::vector<int> in(n + 3, -1);
  const auto came = c.irecv(in, left, 5);
  const auto sent = c.isend(out, right, 5);
  const mpi::status s = came.get();
  sent.get();
  check(s.source() == left && s.tag() == 5 && s.count<int>() == n && s.bytes() == n * sizeof(int),
        "a status says whom, what tag, how much");
  check(std::equal(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(n), numbered(left * 1000, n).begin()),
        "elements come as they were sent");
  check(in[n] == -1, "and no more of them");
}

void values_and_structs(const mpi::communicator& c) {
  const int right = (c.rank() + 1) % c.size(), left = (c.rank() + c.size() - 1) % c.size();
  const auto x = c.irecv<double>(left, 1);
  const auto p = c.irecv<particle>(left, 2);
  auto sent = c.isend(c.rank() + 0.5, right, 1);
  c.send(particle{1, 2, c.rank()}, right, 2);
  check(x.get() == left + 0.5, "a value comes by itself");
  check((p.get() == particle{1, 2, left}), "a struct comes as its bytes");
  sent.get();

  std::vector<particle> out(3, {4, 5, c.rank()}), in(3);
  auto got = c.irecv(in, left, 3);
  c.send(out, right, 3);
  check(got.get().count<particle>() == 3 && in[2].kind == left, "a range of structs too");
  std::string words = "from " + std::to_string(c.rank()), heard(40, ' ');
  auto text = c.irecv(heard, left, 4);
  c.send(words, right, 4);
  check(heard.substr(0, text.get().count<char>()) == "from " + std::to_string(left), "text as well");
}

void raw_spellings(const mpi::communicator& c) {
  const int right = (c.rank() + 1) % c.size(), left = (c.rank() + c.size() - 1) % c.size();
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  int out[4] = {c.rank(), 1, 2, 3}, in[4] = {};
  auto came = c.irecv(in, 2, pair, left, 6);
  c.isend(out, 2, pair, right, 6).get();
  check(came.get().count(pair) == 2 && in[0] == left && in[3] == 3, "datatypes of the program");
  c.issend(out, 4, MPI_INT, c.rank(), 8);
  check(c.recv(in, 4, MPI_INT, c.rank(), 8).source() == c.rank(), "a message to oneself");
  const mpi::status s = c.sendrecv(out, 1, MPI_INT, right, 9, in, 1, MPI_INT, left, 9);
  check(s.source() == left && in[0] == left, "sendrecv");
  std::vector<int> mine{c.rank(), 7}, yours(2);
  check(c.sendrecv(mine, right, 10, yours, left, 10).count<int>() == 2 && yours[0] == left, "sendrecv of ranges");
  MPI_Type_free(&pair);
}

void synchronous_sends_wait(const mpi::communicator& c) {
  std::vector<int> out(2, c.rank()), in(2);
  const auto sent = c.issend(out, c.rank(), 11);
  check(!sent.is_ready(), "a synchronous send waits for its receive");
  c.recv(in, c.rank(), 11);
  sent.get();
  c.ibarrier().get();
}

void probes(const mpi::communicator& c) {
  const int right = (c.rank() + 1) % c.size(), left = (c.rank() + c.size() - 1) % c.size();
  const auto coming = c.improbe(left, 12);
  const auto any = c.iprobe(MPI_ANY_SOURCE, 13);
  const auto out = numbered(left, static_cast<std::size_t>(10 + c.rank()));
  auto sent = c.isend(out, right, 12);
  const mpi::message m = coming.get();
  check(m.about().count<int>() == static_cast<std::size_t>(10 + left), "a probe says how much there is");
  std::vector<int> in(m.about().count<int>());
  check(m.mrecv(in).source() == left && in.back() == in.front() + 9 + left, "what was taken aside is received");
  const std::string letter = "x";
  const auto unmet = c.isend(letter, right, 13);  // MPICH ends no send to oneself before its receive
  check(any.get().source() == left && any.get().tag() == 13, "a probe for anybody's");
  char one = 0;
  c.recv(std::span(&one, 1), left, 13);
  check(one == 'x', "a probed message is still there");
  unmet.get();
  check(c.probe(MPI_PROC_NULL).source() == MPI_PROC_NULL, "nobody's message is there at once");
  sent.get();
}

void what_the_program_starts(const mpi::communicator& c) {
  const int right = (c.rank() + 1) % c.size(), left = (c.rank() + c.size() - 1) % c.size();
  if (net->threads() == mpi::thread_level::funneled) return;  // the program may not call MPI here
  int in = -1;
  MPI_Request r;
  {
    const std::scoped_lock lock(mpi_mutex());
    MPI_Irecv(&in, 1, MPI_INT, left, 14, c.raw(), &r);
  }
  const auto done = c.when_done(r);
  c.send(c.rank(), right, 14);
  check(done.get().source() == left && in == left, "a request of the program's own ends in a future");
}

void calls_that_wait(const mpi::communicator& c) {
  const int right = (c.rank() + 1) % c.size(), left = (c.rank() + c.size() - 1) % c.size();
  int value = 0, in = 0;
  const user_event gate = user_event::create();
  const auto computed = async(after(gate), [&] { value = 100 + c.rank(); });
  const auto came = c.irecv(std::span(&in, 1), left, 15);
  const auto sent = c.isend(std::span(&value, 1), right, 15, {after(computed), name("edge")});
  const auto used = async(after(came), [&] { return in * 2; });
  check(!sent.is_ready(), "a send waits for its preconditions");
  gate.trigger();
  check(used.get() == 2 * (100 + left), "then goes, and what comes after its receive runs");
  sent.get();
  // An event of a receive, merged with others.
  std::vector<event> all;
  std::vector<int> many(8);
  for (std::size_t i = 0; i < many.size(); ++i)
    all.push_back(c.irecv(std::span(&many[i], 1), left, 20 + static_cast<int>(i)));
  for (int i = 7; i >= 0; --i) c.isend(i * 10, right, 20 + i);
  wait(merge(all));
  check(many[0] == 0 && many[7] == 70, "tags tell messages apart");
}

/// Every worker has tasks that suspend in receives, and others that go on.
void suspending_tasks(const mpi::communicator& c) {
  constexpr int tasks = 40;
  const int right = (c.rank() + 1) % c.size(), left = (c.rank() + c.size() - 1) % c.size();
  std::atomic<int> other{0};
  std::vector<future<int>> sums;
  finish([&] {
    for (int t = 0; t < tasks; ++t)
      sums.push_back(async([&, t] {
        int got = 0;
        for (int k = 0; k < 5; ++k) {
          const auto in = c.irecv<int>(left, 100 + t);
          c.send(t + k, right, 100 + t);
          got += in.get();
        }
        return got;
      }));
    for (int i = 0; i < 200; ++i) async([&] { ++other; });
  });
  for (int t = 0; t < tasks; ++t)
    check(sums[static_cast<std::size_t>(t)].get() == 5 * t + 10, "tasks that wait for messages get them");
  check(other == 200, "while others go on");
  while (net->pending()) yield();  // a call counts until whoever saw its end is through with it
}

/// Of two tasks one waits for a message that the other sends, by each spelling that waits, however few workers there
/// are.
void spellings_that_suspend(const mpi::communicator& c) {
  const int me = c.rank();
  const auto beside = [&](auto&& waits, auto&& then) {
    const user_event begun = user_event::create();
    const auto waiting = async([&] {
      begun.trigger();
      return waits();
    });
    async(after(begun), [&] { then(); }).get();
    return waiting.get();
  };
  int in = -1, out = 5;
  const auto send_it = [&] { c.send(std::span(&out, 1), me, 40); };
  check(beside([&] { return c.recv(std::span(&in, 1), me, 40).source(); }, send_it) == me && in == 5,
        "recv suspends its task");
  check(beside([&] { return c.recv<int>(me, 40); }, send_it) == 5, "recv of a value");
  future<void> sent;  // MPICH ends no send to oneself before its receive
  check(beside([&] { return c.probe(me, 40).count<int>(); }, [&] { sent = c.isend(std::span(&out, 1), me, 40); }) == 1,
        "probe");
  check(c.recv<int>(me, 40) == 5, "what was probed");
  sent.get();
  check(beside([&] { return c.mprobe(me, 40).mrecv(std::span(&in, 1)).source(); }, send_it) == me, "mprobe");
  beside([&] { return c.ssend(std::span(&out, 1), me, 41), 0; },
         [&] { check(c.recv<int>(me, 41) == 5, "what ssend waits with"); });
  int from = 6, into = -1;
  MPI_Request r = MPI_REQUEST_NULL;
  if (net->threads() != mpi::thread_level::funneled) {
    {
      const std::scoped_lock lock(mpi_mutex());
      MPI_Irecv(&into, 1, MPI_INT, me, 42, c.raw(), &r);
    }
    beside([&] { return c.wait(r), 0; }, [&] { c.send(std::span(&from, 1), me, 42); });
    check(into == 6, "wait for a request of the program's own");
  }
  // Every second process waits in a collective call until its other task has met the others elsewhere.
  mpi::communicator other = c.dup();
  const auto sum = [&] { return c.allreduce(1, MPI_SUM); };
  const auto meet = [&] { other.barrier(); };
  if (me % 2) meet();
  check((me % 2 ? sum() : beside(sum, meet)) == c.size(), "a collective call");
  other.free();
}

void order_of_messages(const mpi::communicator& c) {
  const int right = (c.rank() + 1) % c.size(), left = (c.rank() + c.size() - 1) % c.size();
  std::vector<future<void>> sent;
  std::vector<int> out(300), in(300, -1);
  std::vector<future<mpi::status>> came;
  for (int i = 0; i < 300; ++i) came.push_back(c.irecv(std::span(&in[static_cast<std::size_t>(i)], 1), left, 30));
  for (int i = 0; i < 300; ++i) {
    out[static_cast<std::size_t>(i)] = i;
    sent.push_back(c.isend(std::span(&out[static_cast<std::size_t>(i)], 1), right, 30));
    if (i % 50 == 0) async([] {}).get();  // on, perhaps, by another worker
  }
  for (auto& f : came) f.get();
  for (auto& f : sent) f.get();
  check(in == out, "messages of one tag come in the order of their calls");
}

}  // namespace

void test_point_to_point(const mpi::communicator& c) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{300'000}})
    ranges_go_round(c, n);
  values_and_structs(c);
  raw_spellings(c);
  synchronous_sends_wait(c);
  probes(c);
  what_the_program_starts(c);
  calls_that_wait(c);
  suspending_tasks(c);
  spellings_that_suspend(c);
  order_of_messages(c);
}
