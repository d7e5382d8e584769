#include "doctor/mpi_trial.hpp"

#include <sched.h>

#include <cstddef>
#include <cstdio>
#include <stretto/error.hpp>
#include <utility>
#include <vector>

#include "net/mpi/mpi_library.hpp"
#include "net/mpi/mpi_transport.hpp"

namespace stretto::doctor {
namespace {

constexpr std::size_t payload_bytes = 100'000;  // more than travels with a head

struct counted final : places::completion {
  counted() : completion(+[](places::work_item& w) noexcept { ++static_cast<counted&>(w).times; }) {}
  int times = 0;
};

/// Node 0 sends `there` with a payload; node 1 answers once it has landed. With the first they get to know whether they
/// can share memory.
struct trial_node {
  trial_node() {
    all.add(
        "there", this, +[](void* n, net::arrival& a) {
          auto& here = *static_cast<trial_node*>(n);
          here.landing.resize(a.rest.bytes());
          std::move(a.rest).receive(here.landing.data(), here.landed);
        });
    all.add("back", this, +[](void* n, net::arrival&) { ++static_cast<trial_node*>(n)->answers; });
  }

  net::handlers all;
  std::vector<std::byte> landing;
  counted landed, sent;
  int answers = 0;
};

}  // namespace

int run_mpi_trial(const std::string& mpi_folder) {
  const auto folders = net::mpi::library_folders(mpi_folder);
  const auto& mpi = net::mpi::load(net::mpi::detect_launch_environment(), folders);
  trial_node here;
  const auto net = net::mpi::make(mpi, here.all);
  const std::vector<std::byte> payload(payload_bytes, std::byte{42});
  const auto poll_until = [&](const int& times, int wanted) {
    while (times < wanted)
      if (!net->poll()) ::sched_yield();
  };
  if (net->nodes() < 2) throw error("N09", "MPI sees 1 process in a test with two");
  for (int turn = 1; turn <= 2; ++turn) {
    if (net->self() == 0) {
      net->send({.to = 1, .handler = here.all.number("there"), .payload = payload, .sent = &here.sent});
      poll_until(here.answers, turn);
      poll_until(here.sent.times, turn);
    } else if (net->self() == 1) {
      poll_until(here.landed.times, turn);
      if (here.landing != payload) return 1;
      here.landing.clear();
      net->send({.to = 0, .handler = here.all.number("back")});
    }
  }
  if (net->self() == 0) {
    std::puts(exchanged);
    if (net->counted().through_shared_memory) std::puts(shares_memory);
    if (net->takes_memory_of("cuda")) std::puts(takes_cuda);
  }
  return 0;
}

}  // namespace stretto::doctor
