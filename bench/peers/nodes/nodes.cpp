// nodes.cpp - messages between two nodes: Stretto's active messages over MPI, without a runtime around them.
//
// Threads     one per node; `workers` is the number of nodes, which mpirun decides.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

#include "common/measure.hpp"
#include "net/mpi/mpi_library.hpp"
#include "net/mpi/mpi_transport.hpp"

namespace {

namespace net = stretto::net;

struct end;

struct told final : stretto::places::completion {
  explicit told(end& e, void (*f)(end&))
      : completion(+[](stretto::places::work_item& w) noexcept {
          auto& self = static_cast<told&>(w);
          self.then(self.of);
        }),
        of(e),
        then(f) {}
  end& of;
  void (*then)(end&);
};

/// This process's end of the job. Handlers count what came, and send it back where there are turns left; payloads land
/// in one place.
struct end {
  end() {
    all.add("count", this, +[](void* e, net::arrival&) { ++static_cast<end*>(e)->came; });
    all.add("turn", this, +[](void* e, net::arrival&) { static_cast<end*>(e)->next_turn(); });
    all.add(
        "land", this, +[](void* e, net::arrival& a) {
          auto& here = *static_cast<end*>(e);
          std::move(a.rest).receive(here.landing.data(), here.landed);
        });
    transport =
        net::mpi::make(net::mpi::load(net::mpi::detect_launch_environment(), net::mpi::library_folders("")), all);
    other = transport->self() == 0 ? 1 : 0;
    count = all.number("count");
    turn = all.number("turn");
    land = all.number("land");
  }
  void next_turn() {
    ++came;
    if (to_send > 0) send_turn();
    else ++owed;  // the other one has begun the next repetition
  }
  void send_turn() {
    --to_send;
    const std::span<const std::byte> whole(payload);
    if (is_head) transport->send({.to = other, .handler = turn, .head = whole});
    else transport->send({.to = other, .handler = land, .head = whole.first(8), .payload = whole, .sent = &sent});
  }
  template <class Condition>
  void poll_until(Condition&& is_so) {
    while (!is_so()) transport->poll();
  }

  net::handlers all;
  std::unique_ptr<net::transport> transport;
  net::node_number other;
  net::handler_number count, turn, land;
  long came = 0, expected = 0, to_send = 0, owed = 0, has_sent = 0;
  bool is_head = true;
  told landed{*this, +[](end& e) { e.next_turn(); }}, sent{*this, +[](end& e) { ++e.has_sent; }};
  std::vector<std::byte> landing, payload;
};
std::unique_ptr<end> here;

void need_two() {
  if (here->transport->nodes() != 2) throw bench::unsupported("start two processes: mpirun -np 2");
}

/// A message there and one back, again and again: half of that is one way. --size bytes: of the head, or of the payload
/// if many;
/// --steps how often, more of small ones.
bench::outcome time_latency(const bench::options& o) {
  need_two();
  const auto bytes = static_cast<std::size_t>(o.size);
  const long turns = bytes > 200'000 ? o.steps / 5 : bytes > 4096 ? 2 * o.steps : 50 * o.steps;
  here->is_head = bytes <= 64;
  here->landing.resize(bytes);
  here->payload.resize(bytes);
  const long has_sent = here->has_sent;
  const bool begins = here->transport->self() == 0;
  const bench::stopwatch clock;
  here->expected += turns;
  here->to_send = turns;
  if (begins) here->owed = 1;
  for (; here->owed; --here->owed) here->send_turn();
  here->poll_until([&] { return here->came == here->expected && here->to_send == 0; });
  if (begins) here->owed = 0;  // by the answer to its last
  const double seconds = clock.seconds();
  if (!here->is_head) here->poll_until([&] { return here->has_sent == has_sent + turns; });
  return {.value = seconds * 1e6 / (2.0 * static_cast<double>(turns))};
}

constexpr std::uint64_t most_held = 256 << 10;  // bytes that wait here before a sender polls

/// So many messages of --size bytes from one node to the other, which says when it has all. `polls`: after each
/// message.
bench::outcome count_messages(const bench::options& o, bool polls) {
  need_two();
  const long messages = 200 * o.steps;
  here->payload.resize(static_cast<std::size_t>(o.size));
  const std::span<const std::byte> head(here->payload);
  const bool sends = here->transport->self() == 0;
  here->expected += sends ? 1 : messages;
  const bench::stopwatch clock;
  if (sends) {
    for (long i = 0; i < messages; ++i) {
      while (here->transport->outstanding_bytes() > most_held) here->transport->poll();
      here->transport->send({.to = here->other, .handler = here->count, .head = head});
      if (polls) here->transport->poll();
    }
    here->poll_until([&] { return here->came == here->expected; });
  } else {
    here->poll_until([&] { return here->came == here->expected; });
    here->transport->send({.to = here->other, .handler = here->count});
    here->transport->poll();
  }
  return {.value = static_cast<double>(messages) * 1e-6 / clock.seconds()};
}
bench::outcome count_flood(const bench::options& o) { return count_messages(o, false); }
bench::outcome count_single(const bench::options& o) { return count_messages(o, true); }

}  // namespace

int main(int argc, char** argv) {
  using bench::better;
  here = std::make_unique<end>();
  const bench::program system{.system = "stretto_nodes",
                              .entries = {{"nodes_latency", "us one way", better::lower, 8, time_latency},
                                          {"nodes_flood", "Mmessages/s", better::higher, 8, count_flood},
                                          {"nodes_single", "Mmessages/s", better::higher, 8, count_single}},
                              .out = here->transport->self() == 0 ? stdout : nullptr};
  const int code = bench::run(system, argc, argv);
  here.reset();
  return code;
}
