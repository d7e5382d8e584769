// Faults, and their error messages.
#include "tests.hpp"

#include <stdexcept>
#include <vector>

#include "checks.hpp"

using namespace stretto;

namespace {

void wrong_arguments(const mpi::communicator& c) {
  std::vector<int> data(4);
  const std::string rank = thrown_by([&] { c.send(data, c.size() + 3, 7, name("north")); });
  check(has(rank, "error M20: MPI_Isend failed") && has(rank, "called      faults_test.cpp:") && has(rank, "north") &&
            has(rank, ("rank " + std::to_string(c.rank()) + " of " + std::to_string(c.size())).c_str()) &&
            has(rank, ("peer        " + std::to_string(c.size() + 3)).c_str()) && has(rank, "tag         7") &&
            has(rank, "4 of 4 bytes") && has(rank, "ranks of this communicator go from 0 to"),
        "a rank that there is not");
  check(has(thrown_by([&] { c.irecv(data, 99).get(); }), "MPI_Irecv failed"), "also of a receive");
  check(has(thrown_by([&] { c.send(data, c.rank(), -5); }), "error M20"), "a tag that cannot be");
  check(has(thrown_by([&] { c.bcast(data, c.size()); }), "error M20: MPI_Ibcast failed"), "a root that there is not");
  check(has(thrown_by([&] { c.isend(data.data(), -1, MPI_INT, c.rank(), 0).get(); }), "error M20"), "a negative count");
  check(has(thrown_by([&] { c.isend(data.data(), 1, MPI_DATATYPE_NULL, c.rank(), 0).get(); }), "error M20"),
        "no datatype");
  const std::string late = thrown_by([&] {
    const user_event gate = user_event::create();
    const auto sent = c.isend(data, 77, 1, after(gate));
    gate.trigger();
    sent.get();
  });
  check(has(late, "error M20") && has(late, "faults_test.cpp"), "one that started later says who asked for it");
}

void wrong_sizes(const mpi::communicator& c) {
  const int me = c.rank();
  // Open MPI (4.1.4) writes all that was sent where it goes straight into its place, also behind the end of what was
  // said to be there.
  std::vector<int> out(1000, me), behind(out.size()), other(1);
  const std::span<int> in(behind.data(), 4);
  for (const bool early : {false, true}) {
    future<mpi::status> came;
    const auto beside = c.irecv(other, me, 6);  // so that several are tested together, or one alone
    if (early) c.send(1, me, 6), beside.get();
    if (early) came = c.irecv(in, me, 3);
    auto sent = c.isend(out, me, 3);
    if (!early) came = c.irecv(in, me, 3);
    const std::string said = thrown_by([&] { came.get(); });
    check(has(said, "error M21: a message is longer than the memory it is received into") &&
              has(said, "writes      4 of 4 bytes"),
          "a message that is too long");
    sent.get();
    if (!early) c.send(1, me, 6);
    check(beside.get().source() == me && other[0] == 1, "another is none the worse for it");
  }
  // Structs, which travel as bytes: of a part of a basic type MPICH (4.0.2) stops at an assertion of its own.
  struct one_number {
    int a;
  };
  struct two_numbers {
    int a, b;
  };
  const auto value = c.irecv<two_numbers>(me, 4);
  c.send(one_number{1}, me, 4);
  check(has(thrown_by([&] { value.get(); }), "error M27: a message of 4 bytes arrived for a value of 8"),
        "a value that is another's");
  std::vector<int> small(1), one(2, me);
  check(has(thrown_by([&] { c.allgather(one, small); }), "error M29: allgather: the result has 1 elements"),
        "a result that does not fit");
  const std::vector<char> none;
  check(has(thrown_by([&] { c.isend(std::span(none.data(), std::size_t{1} << 32), me, 1); }),
            "error M28: MPI_Isend of 4294967296 elements"),
        "more than MPI counts");
}

void skipped(const mpi::communicator& c) {
  const auto fails = async([]() -> int { throw std::runtime_error("no paper left"); });
  int in = 0;
  const auto never = c.irecv(std::span(&in, 1), c.rank(), 5, after(fails));
  const auto unsent = c.isend(1, c.rank(), 5, after(fails));
  check(has(thrown_by([&] { never.get(); }), "no paper left") && has(thrown_by([&] { unsent.get(); }), "no paper left"),
        "what comes after a failure is skipped, and says so");
  check(!c.iprobe(MPI_PROC_NULL).is_poisoned(), "and nothing was sent");

  auto other = c.dup();
  const auto first = other.iallreduce(1, MPI_SUM, {after(fails), name("residual")});
  const auto second = other.ibarrier();
  check(has(thrown_by([&] { first.get(); }), "no paper left"), "a collective call is skipped too");
  const std::string said = thrown_by([&] { second.get(); });
  check(has(said, "error M26: MPI_Ibarrier cannot be called") && has(said, "MPI_Iallreduce, faults_test.cpp:"),
        "and those behind it fail");
  check(has(thrown_by([&] { other.barrier(); }), "M26"), "those that come later as well");
  other.free();
  auto again = c.dup();
  again.barrier();
  again.free();
  try {
    fails.get();
  } catch (const std::exception&) {
  }
}

}  // namespace

void test_faults(const mpi::communicator& c) {
  wrong_arguments(c);
  wrong_sizes(c);
  skipped(c);
  c.barrier();
}
