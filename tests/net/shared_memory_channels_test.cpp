// Channels deliver every payload, whatever its length and whichever side is faster. Only processes of the host find
// them.
#include "net/shared_memory_channels.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "campaign.hpp"

namespace stretto::net {
namespace {

constexpr std::uint64_t small = 64 << 10;  // channels of 4 KiB

std::vector<std::byte> drawn(std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> all(bytes);
  for (std::byte& b : all) b = static_cast<std::byte>(random());
  return all;
}

/// Both ends, each with a mapping of its own.
struct both {
  explicit both(std::uint64_t bytes) : in(own_channels::make(bytes)) {
    REQUIRE(in);
    out = peer_channels::find(in->address());
    REQUIRE(out);
  }
  std::uint32_t take() {
    const auto channel = in->take();
    REQUIRE(channel);
    return *channel;
  }
  std::unique_ptr<own_channels> in;
  std::unique_ptr<peer_channels> out;
};

}  // namespace

TEST_CASE("a payload that fits into a channel has left before the receiver takes it") {
  both l(small);
  CHECK(l.in->channel_bytes() == 4096);
  for (int round = 0; round < 10; ++round) {  // begins elsewhere in its channel each time
    const auto sent = drawn(1000 + 700u * static_cast<unsigned>(round % 4), 1);
    const std::uint32_t channel = l.take();
    CHECK(l.in->copy_in(channel, sent) == sent.size());
    CHECK_FALSE(l.in->has_begun(channel));
    l.in->release(channel);
    std::vector<std::byte> came(sent.size());
    CHECK(l.out->copy_out(channel, came.data(), 0, came.size()) == came.size());
    CHECK(came == sent);
  }
}

TEST_CASE("a longer payload continues as the receiver takes it") {
  both l(small);
  const auto sent = drawn(10'000, 2);
  std::vector<std::byte> came(sent.size());
  const std::uint32_t channel = l.take();
  std::size_t in = l.in->copy_in(channel, sent);
  CHECK(in == 4096);
  CHECK(l.in->copy_in(channel, std::span(sent).subspan(in)) == 0);
  std::uint64_t out = l.out->copy_out(channel, came.data(), 0, came.size());
  CHECK(out == 4096);
  CHECK(l.in->has_begun(channel));
  CHECK(l.out->copy_out(channel, came.data(), out, came.size()) == out);
  for (int turn = 0; out < came.size() && turn < 10; ++turn) {
    in += l.in->copy_in(channel, std::span(sent).subspan(in));
    out = l.out->copy_out(channel, came.data(), out, came.size());
  }
  CHECK(came == sent);
}

TEST_CASE("both sides copy at the same time, of all sizes") {
  for (unsigned seed = 0; seed < test::scaled(30u, 2000u); ++seed) {
    both l(small);
    std::mt19937 random(seed);
    for (int payload = 0; payload < 10; ++payload) {
      const auto sent = drawn(1 + random() % (payload % 2 ? 100'000 : 5'000), random());
      std::vector<std::byte> came(sent.size());
      const std::uint32_t channel = l.take();
      std::thread other([&] {
        for (std::uint64_t got = 0; got < came.size();) got = l.out->copy_out(channel, came.data(), got, came.size());
      });
      for (std::size_t in = 0; in < sent.size();) in += l.in->copy_in(channel, std::span(sent).subspan(in));
      other.join();
      CHECK(came == sent);
      l.in->release(channel);
    }
  }
}

TEST_CASE("a channel is reused once its sender has released it and its receiver has taken all, in either order") {
  both l(small);
  const auto sent = drawn(100, 3);
  std::vector<std::byte> came(sent.size());
  std::vector<std::uint32_t> all;
  while (const auto channel = l.in->take()) all.push_back(*channel);
  CHECK(all.size() == own_channels::most);
  for (const std::uint32_t channel : all) CHECK(l.in->copy_in(channel, sent) == sent.size());
  CHECK_FALSE(l.in->take());
  l.in->release(all[5]);
  CHECK_FALSE(l.in->take());
  CHECK(l.out->copy_out(all[5], came.data(), 0, came.size()) == came.size());
  CHECK(l.in->take() == all[5]);
  CHECK(l.out->copy_out(all[7], came.data(), 0, came.size()) == came.size());
  CHECK_FALSE(l.in->take());
  l.in->release(all[7]);
  CHECK(l.in->take() == all[7]);
}

TEST_CASE("a dropped payload is not copied any further, and its channel is reused once its sender notices") {
  both l(small);
  const auto sent = drawn(10'000, 4);
  const std::uint32_t channel = l.take();
  const std::size_t in = l.in->copy_in(channel, sent);
  l.out->drop(channel);
  CHECK(l.take() != channel);
  CHECK(l.in->copy_in(channel, std::span(sent).subspan(in)) == sent.size() - in);  // as if it had left
  l.in->release(channel);
  CHECK(l.in->take() == channel);
}

TEST_CASE("there are as many channels as fit into the memory, and none without memory") {
  CHECK_FALSE(own_channels::make(0));
  CHECK_FALSE(own_channels::make(4095));
  const auto few = own_channels::make(3 * 4096);
  REQUIRE(few);
  CHECK(few->channel_bytes() == 4096);
  for (int n = 0; n < 3; ++n) CHECK(few->take());
  CHECK_FALSE(few->take());
}

TEST_CASE("channels of another host, with another key or of a process that has ended are not found") {
  auto own = own_channels::make(small);
  REQUIRE(own);
  const channels_address is = own->address();
  CHECK(peer_channels::find(is));
  channels_address other = is;
  ++other.host;
  CHECK_FALSE(peer_channels::find(other));
  other = is;
  other.host = 0;
  CHECK_FALSE(peer_channels::find(other));
  other = is;
  ++other.key;
  CHECK_FALSE(peer_channels::find(other));
  other = is;
  other.bytes += 4096;
  CHECK_FALSE(peer_channels::find(other));
  own.reset();
  CHECK_FALSE(peer_channels::find(is));
}

TEST_CASE("there are no channels if the limit of file sizes is too small") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (!child) {
    const rlimit most{1 << 20, 1 << 20};
    const bool is_set = !setrlimit(RLIMIT_FSIZE, &most);
    _exit(is_set && !own_channels::make(2 << 20) && own_channels::make(small) ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("another process receives the payloads that this one sends") {
  const auto own = own_channels::make(small);
  REQUIRE(own);
  const auto sent = drawn(50'000, 5);
  const auto channel = own->take();
  REQUIRE(channel);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (!child) {
    const auto there = peer_channels::find(own->address());
    std::vector<std::byte> came(sent.size());
    if (there)
      for (std::uint64_t got = 0; got < came.size();) got = there->copy_out(*channel, came.data(), got, came.size());
    _exit(there && came == sent ? 0 : 1);
  }
  int status = 0;
  bool has_ended = false;
  for (std::size_t in = 0; in < sent.size() && !has_ended;) {
    in += own->copy_in(*channel, std::span(sent).subspan(in));
    has_ended = waitpid(child, &status, WNOHANG) == child;
  }
  if (!has_ended) waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace stretto::net
