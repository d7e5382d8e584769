// Sends in progress are tested as soon as they have ended, so that a flood reuses its memory.
#include "net/mpi/outbox.hpp"

#include <doctest/doctest.h>

#include <cstring>

namespace stretto::net::mpi {
namespace {

/// An MPI that keeps all messages until the test completes those to one node.
struct keeping {
  static inline bool lets_go[3];
  static inline int kept;
  handlers names;
  static inline const calls table = [] {
    calls c{};
    c.send = +[](const void*, std::size_t, int to, int, communicator_kind, request* r) -> const char* {
      std::memcpy(r->bytes, &to, sizeof to);
      ++kept;
      return nullptr;
    };
    c.test = +[](request* r, bool* has_ended, int*, std::size_t*) -> const char* {
      int to = 0;
      std::memcpy(&to, r->bytes, sizeof to);
      *has_ended = lets_go[to];
      kept -= *has_ended;
      return nullptr;
    };
    return c;
  }();

  keeping() {
    std::memset(lets_go, 0, sizeof lets_go);
    kept = 0;
  }
};

void post(outbox& to_send, node_number to, int messages) {
  for (int i = 0; i < messages; ++i) to_send.post(to, packet_kind::credit, 0, {}, {}, calling::allowed);
}

}  // namespace

TEST_CASE("one test finds all sends that have ended, however many there are") {
  keeping mpi;
  outbox to_send(mpi.table, mpi.names, 2);
  post(to_send, 1, 1000);
  REQUIRE(mpi.kept == 1000);
  to_send.test();
  CHECK(mpi.kept == 1000);
  mpi.lets_go[1] = true;
  to_send.test();
  CHECK(mpi.kept == 0);
  CHECK(to_send.is_empty());
}

TEST_CASE("a node that receives nothing does not delay the sends to others") {
  keeping mpi;
  outbox to_send(mpi.table, mpi.names, 3);
  post(to_send, 1, 10);
  post(to_send, 2, 10);
  mpi.lets_go[2] = true;
  to_send.test();
  CHECK(mpi.kept == 10);
  CHECK_FALSE(to_send.is_empty());
  mpi.lets_go[1] = true;
  to_send.test();
  CHECK(to_send.is_empty());
}

}  // namespace stretto::net::mpi
