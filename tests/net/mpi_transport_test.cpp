// Properties of the transport over MPI beyond those of every transport: packets of a flood share MPI messages, and no
// packet waits alone.
#include "net/mpi/mpi_transport.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "conformance/fake_mpi.hpp"
#include "counting_completion.hpp"
#include "thrown_by.hpp"

namespace stretto::net {
namespace {

/// Two nodes; the second counts the messages that it receives, which must be in order.
struct two_nodes {
  enum class cuda : bool { unknown, taken };
  explicit two_nodes(std::uint64_t seed, std::uint64_t lane_memory = mpi::default_channel_memory,
                     cuda memory = cuda::unknown) {
    fake_mpi::begin(2, seed);  // on one host where the seed is odd
    if (memory == cuda::taken) fake_mpi::take_cuda_memory();
    for (int n = 0; n < 2; ++n) {
      all[n].add(
          "number", this, +[](void* t, arrival& a) {
            auto& self = *static_cast<two_nodes*>(t);
            std::uint64_t number = 0;
            REQUIRE(a.head.size() == sizeof number);
            std::memcpy(&number, a.head.data(), sizeof number);
            CHECK(number == self.came++);
          });
      all[n].add(
          "large", this, +[](void* t, arrival& a) {
            auto& self = *static_cast<two_nodes*>(t);
            self.content.resize(a.rest.bytes());
            std::move(a.rest).receive(self.content.data(), self.received);
          });
      all[n].add("unwanted", this, +[](void*, arrival&) {});
      nets[n] = mpi::make(fake_mpi::of_node(n), all[n], mpi::threads::multiple, lane_memory);
    }
  }
  void send() {
    nets[0]->send({.to = 1, .handler = all[0].number("number"), .head = std::as_bytes(std::span(&sent, 1))});
    ++sent;
  }

  void send_large(const std::vector<std::byte>& bytes, places::completion* done, const char* to = "large") {
    nets[0]->send({.to = 1, .handler = all[0].number(to), .payload = bytes, .sent = done});
  }
  void poll() {
    for (const auto& n : nets) n->poll();
  }
  /// Sends one large payload, with which the nodes exchange their channel addresses.
  void meet() {
    const std::vector<std::byte> bytes(10'000);
    send_large(bytes, nullptr);
    while (!received.times) poll();
    for (int turn = 0; turn < 100; ++turn) poll();
    received = {};
  }

  handlers all[2];
  std::unique_ptr<transport> nets[2];
  std::uint64_t sent = 0, came = 0;
  std::vector<std::byte> content;
  test::counting_completion received;  // of `large`
};

}  // namespace

TEST_CASE("a single message is passed to MPI before send returns, even after a flood and without a poll") {
  two_nodes job(1);
  for (int i = 0; i < 20; ++i) job.send();
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    job.send();
    while (job.came < job.sent) job.nets[1]->poll();  // its sender does not poll
  }
}

TEST_CASE("the first few messages of a flood are passed to MPI before send returns") {
  two_nodes job(2);
  for (int i = 0; i < 4; ++i) job.send();
  CHECK(fake_mpi::sent(0) == 4);
}

TEST_CASE("the last messages of a flood are sent by the next poll") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    two_nodes job(seed);
    for (int i = 0; i < 30; ++i) job.send();
    job.nets[0]->poll();
    const auto posted = fake_mpi::sent(0);
    while (job.came < job.sent) job.nets[1]->poll();
    CHECK(fake_mpi::sent(0) == posted);
  }
}

TEST_CASE("messages that wait for credit share MPI messages") {
  constexpr std::uint64_t flood = 20'000;
  two_nodes job(3);
  while (job.sent < flood) job.send();
  CHECK(fake_mpi::sent(0) <= 64);  // as many as the other node has not handled
  while (job.came < flood) {
    job.nets[1]->poll();
    job.nets[0]->poll();
  }
  CHECK(fake_mpi::sent(0) <= 64 + flood / 100);
  CHECK(job.nets[1]->counted().received == flood);
}

TEST_CASE("messages that the receiver does not take are kept and counted") {
  two_nodes job(4);
  CHECK(job.nets[0]->outstanding_bytes() == 0);
  for (int i = 0; i < 100'000; ++i) job.send();
  CHECK(job.nets[0]->outstanding_bytes() > 1'000'000);
  while (job.came < job.sent) {
    job.nets[1]->poll();
    job.nets[0]->poll();
  }
  CHECK(job.nets[0]->outstanding_bytes() == 0);
  const std::vector<std::byte> large(1'000'000);
  job.nets[0]->send({.to = 1, .handler = job.all[0].number("large"), .payload = large});  // copied
  CHECK(job.nets[0]->outstanding_bytes() >= large.size());
  while (!job.received.times) {
    job.nets[1]->poll();
    job.nets[0]->poll();
  }
  while (job.nets[0]->outstanding_bytes()) job.nets[0]->poll();
}

TEST_CASE("between processes of one host large payloads use channels, once these have been mapped") {
  for (const std::uint64_t seed : {6u, 7u}) {
    for (const std::uint64_t lane_memory : {0u, 64u << 10, 1u << 20}) {
      CAPTURE(seed);
      CAPTURE(lane_memory);
      two_nodes job(seed, lane_memory);
      const bool has_channels = seed % 2 && lane_memory;
      job.meet();
      CHECK(job.nets[0]->counted().through_shared_memory == 0);
      std::vector<std::byte> bytes(50'000);
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i / 7);
      test::counting_completion sent;
      job.send_large(bytes, &sent);
      if (has_channels && lane_memory / 16 > bytes.size()) {
        job.nets[0]->poll();
        CHECK(sent.times == 1);  // although the receiver has not polled
      }
      while (!job.received.times || !sent.times) job.poll();
      CHECK(job.content == bytes);
      CHECK(job.nets[0]->counted().through_shared_memory == (has_channels ? 1 : 0));
      CHECK(job.nets[0]->counted().by_rendezvous == (has_channels ? 1 : 2));
      job.send_large(bytes, nullptr);  // copied; the part that exceeds a channel is kept
      std::fill(bytes.begin(), bytes.end(), std::byte{1});
      while (job.received.times < 2) job.poll();
      CHECK(job.content[100] == static_cast<std::byte>(100 * 100 / 7));
      CHECK(job.content[49'999] == static_cast<std::byte>(std::size_t{49'999} * 49'999 / 7));
      while (job.nets[0]->outstanding_bytes()) job.poll();
    }
  }
}

TEST_CASE("a payload that its handler drops counts as sent, even one longer than a channel") {
  two_nodes job(7, 64 << 10);
  job.meet();
  const std::vector<std::byte> bytes(50'000);
  for (int n = 0; n < 40; ++n) {  // more than there are channels: each is reused
    test::counting_completion sent;
    job.send_large(bytes, &sent, "unwanted");
    while (!sent.times) job.poll();
    CHECK(!sent.failure);
  }
  CHECK(job.nets[0]->counted().through_shared_memory == 40);
}

TEST_CASE("a payload whose message is followed by another is sent after that one, or by the next poll") {
  for (const bool is_followed : {true, false}) {
    CAPTURE(is_followed);
    two_nodes job(13);
    job.meet();
    std::vector<std::byte> bytes(50'000);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i / 7);
    test::counting_completion sent;
    job.nets[0]->send(
        {.to = 1, .handler = job.all[0].number("large"), .payload = bytes, .sent = &sent, .is_followed = true});
    while (job.content.size() < bytes.size()) job.nets[1]->poll();  // its message has arrived
    for (int turn = 0; turn < 100; ++turn) job.nets[1]->poll();
    CHECK(job.received.times == 0);
    if (is_followed) {
      job.send();
      while (!job.received.times) job.nets[1]->poll();  // its sender does not poll
    }
    while (!job.received.times || !sent.times || job.came < job.sent) job.poll();
    CHECK(job.content == bytes);
  }
}

TEST_CASE("MPI gets payloads in device memory directly, even small ones, and delivers them where the handler says") {
  CHECK_FALSE(two_nodes(15).nets[0]->takes_memory_of("cuda"));
  for (const std::size_t size : {std::size_t{100}, std::size_t{50'000}}) {
    CAPTURE(size);
    two_nodes job(15, mpi::default_channel_memory, two_nodes::cuda::taken);
    CHECK(job.nets[0]->takes_memory_of("cuda"));
    CHECK_FALSE(job.nets[0]->takes_memory_of("opencl"));
    job.meet();
    job.content.reserve(size);
    const std::vector<std::byte> bytes(size, std::byte{7});
    test::counting_completion sent;
    job.nets[0]->send(
        {.to = 1, .handler = job.all[0].number("large"), .payload = bytes, .sent = &sent, .from_device = true});
    while (!job.received.times || !sent.times) job.poll();
    CHECK(job.content == bytes);
    CHECK(fake_mpi::bulk(0).sent_from == bytes.data());
    CHECK(fake_mpi::bulk(1).received_at == job.content.data());
    CHECK(job.nets[0]->counted().through_shared_memory == 0);
    CHECK(job.nets[0]->counted().by_rendezvous == 2);
  }
}

TEST_CASE("if all channels are in use MPI moves the payload") {
  two_nodes job(9, 1 << 20);
  job.meet();
  const std::vector<std::byte> bytes(50'000);
  std::vector<test::counting_completion> sent(30);
  for (test::counting_completion& s : sent) job.send_large(bytes, &s);
  CHECK(job.nets[0]->counted().through_shared_memory == 16);
  while (job.received.times < 30) job.poll();
  while (std::any_of(sent.begin(), sent.end(), [](const test::counting_completion& s) { return !s.times; })) job.poll();
}

TEST_CASE("a payload in a channel fails once if its message could not be sent") {
  two_nodes job(11);
  job.meet();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  fake_mpi::break_sends_of(0);
  const std::vector<std::byte> bytes(100'000);
  test::counting_completion sent;
  job.send_large(bytes, &sent);
  const std::string said = test::thrown_by([&] { job.nets[0]->poll(); });
  CAPTURE(said);
  CHECK(said.find("bytes for \"large\" on node 1") != said.npos);
  CHECK(sent.times == 1);
  CHECK(sent.failure);
}

TEST_CASE("a failed send does not throw: the next poll does, with the node and the message") {
  for (const bool is_large : {false, true}) {
    CAPTURE(is_large);
    two_nodes job(5);
    job.send();
    while (job.came < job.sent) job.nets[1]->poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    fake_mpi::break_sends_of(0);
    const std::vector<std::byte> content(is_large ? 100'000 : 100);
    test::counting_completion sent;
    job.nets[0]->send({.to = 1, .handler = job.all[0].number("large"), .payload = content, .sent = &sent});
    job.send();  // later sends do not throw, either
    const std::string said = test::thrown_by([&] { job.nets[0]->poll(); });
    CAPTURE(said);
    CHECK(said.find("error N07: MPI failed: the cable was pulled") != said.npos);
    CHECK(said.find("bytes for \"large\" on node 1") != said.npos);
    CHECK(sent.times == 1);
    CHECK(test::thrown_by([&] { job.nets[0]->poll(); }) == said);
    CHECK_FALSE(fake_mpi::has_aborted(0));  // its program may still use its data
    job.nets[0] = nullptr;
    CHECK(fake_mpi::has_aborted(0));
    CHECK_FALSE(fake_mpi::has_aborted(1));
  }
}

}  // namespace stretto::net
