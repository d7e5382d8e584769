// The scenarios of every transport over MPI, a process each: mpirun -n N net_mpi_test FOLDER LEVEL [MPI].
//
// FOLDER holds the libraries, LEVEL is funneled, serialized or multiple, MPI is which library in spite of the
// launcher's.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#define DOCTEST_CONFIG_IMPLEMENT
#include <stretto/error.hpp>

#include "campaign.hpp"
#include "conformance/net_scenarios.hpp"
#include "net/mpi/mpi_library.hpp"
#include "net/mpi/mpi_transport.hpp"

namespace stretto::net {
namespace {

const mpi::calls* library;
mpi::threads level = mpi::threads::serialized;

/// Runs it until every node is done: each tells node 0, which tells all.
class until_all_are {
 public:
  explicit until_all_are(scenario& s) : of_(s) {
    s.all.add("a node is done", this, +[](void* t, arrival&) { ++static_cast<until_all_are*>(t)->done_; });
    s.all.add("all nodes are done", this, +[](void* t, arrival&) { static_cast<until_all_are*>(t)->all_ = true; });
  }
  void run() {
    of_.start();
    bool told = false, all_told = false;
    while (!all_) {
      of_.net->poll();
      of_.go_on();
      if (!told && of_.is_done()) {
        told = true;
        of_.net->send({.to = 0, .handler = of_.all.number("a node is done")});
      }
      if (!all_told && done_ == of_.net->nodes()) {
        all_told = true;
        for (std::uint32_t n = 0; n < of_.net->nodes(); ++n)
          of_.net->send({.to = static_cast<node_number>(n), .handler = of_.all.number("all nodes are done")});
      }
    }
    of_.check();
  }

 private:
  scenario& of_;
  std::uint32_t done_ = 0;
  bool all_ = false;
};

/// Before anything is sent. All run on one host.
void tell_host(transport& net) {
  const host_nodes here = net.on_host();
  CHECK(here.self == net.self());
  CHECK(here.count == net.nodes());
  const std::uint64_t mine = 100 + net.self();
  std::vector<std::uint64_t> all(here.count);
  REQUIRE(net.gather_on_host(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all))));
  for (std::uint32_t n = 0; n < here.count; ++n) CHECK(all[n] == 100 + n);
  CHECK_FALSE(net.first_failed(false));
  CHECK(net.first_failed(static_cast<node_number>(net.self()) + 1 == net.nodes()) ==
        static_cast<node_number>(net.nodes() - 1));
}

template <class Scenario, class... Arguments>
void try_it(Arguments... arguments) {
  const auto told = [](const char* one, const char* other, int otherwise) {
    const char* said = std::getenv(one);
    if (!said) said = std::getenv(other);
    return said ? std::atoi(said) : otherwise;
  };
  const auto self = static_cast<node_number>(told("OMPI_COMM_WORLD_RANK", "PMI_RANK", 0));
  const auto nodes = static_cast<std::uint32_t>(told("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", 1));
  Scenario s(self, nodes, arguments...);
  until_all_are run(s);
  static unsigned made = 0;
  const std::uint64_t lane_memory = std::array<std::uint64_t, 3>{mpi::default_channel_memory, 64 << 10, 0}[made++ % 3];
  const auto net = mpi::make(*library, s.all, level, lane_memory);
  CHECK(net->self() == self);
  tell_host(*net);
  s.net = net.get();
  run.run();
}

}  // namespace

TEST_CASE("messages of every size come once, in order, and their payloads whole") {
  for (unsigned seed = 0; seed < test::scaled(5u, 200u); ++seed) try_it<flood>(seed, 100);
}
TEST_CASE("what a node wrote into the memory that any of them lends is read by whoever it tells") {
  for (unsigned seed = 0; seed < test::scaled(3u, 20u); ++seed) try_it<lenders>(seed);
}
TEST_CASE("handlers may send") { try_it<rounds>(); }
TEST_CASE("threads of one node send at the same time") { try_it<many_senders>(); }
TEST_CASE("a communicator that MPI refuses to make is a failure that MPI returns, and no end of the job") {
  handlers all;
  const auto net = mpi::make(*library, all, level);
  std::byte handle[8];
  for (const std::size_t bytes : {4, 8}) {  // of an MPI_Comm, in one MPI or the other
    mpi::threads is{};
    CHECK(library->communicator(~0u, handle, bytes, &is) != nullptr);  // no such number is a tag
  }
}

}  // namespace stretto::net

int main(int argc, char** argv) {
  using namespace stretto::net;
  try {
    const std::string folders[] = {argc > 1 ? argv[1] : "."};
    auto here = mpi::detect_launch_environment();
    if (argc > 3) here.launcher = argv[3];
    library = &mpi::load(here, folders);
  } catch (const stretto::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
  const std::string wanted = argc > 2 ? argv[2] : "serialized";
  level = wanted == "funneled"   ? mpi::threads::funneled
          : wanted == "multiple" ? mpi::threads::multiple
                                 : mpi::threads::serialized;
  return doctest::Context(argc, argv).run();
}
