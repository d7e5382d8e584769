// Messages that are structs: what is read equals what was written, and nothing else is read.
#include "dist/message_codec.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "dist/cluster.hpp"
#include "dist/job.hpp"
#include "net/sim/network.hpp"

namespace stretto::dist {
namespace {
enum class direction : std::uint8_t { up, down, sideways };
}
template <>
inline constexpr auto last_of<direction> = direction::sideways;

namespace {

struct part_of_all {
  std::int16_t x = 0;
  std::vector<double> values = {};
  friend bool operator==(const part_of_all&, const part_of_all&) = default;
};
struct one_of_all {
  static constexpr std::string_view message = "test.one_of_all";
  bool is_there = false;
  direction way = {};
  std::uint64_t number = 0;
  float half = 0;
  std::string text = {};
  std::optional<std::int32_t> maybe = {};
  std::array<std::uint8_t, 3> three = {};
  std::vector<part_of_all> parts = {};
  node_rank node = {};
  event until = {};
  friend bool operator==(const one_of_all&, const one_of_all&) = default;
};
struct with_rest {
  static constexpr std::string_view message = "test.with_rest";
  std::uint32_t number = 0;
  std::span<const std::byte> rest = {};
};
struct ping {
  static constexpr std::string_view message = "test.ping";
  std::uint32_t number = 0;
};

constexpr message_environment four_nodes{.nodes = 4};

one_of_all example() {
  return {.is_there = true,
          .way = direction::down,
          .number = ~std::uint64_t{0},
          .half = 0.5f,
          .text = "forty",
          .maybe = -7,
          .three = {1, 2, 3},
          .parts = {{4, {1.5, -2.5}}, {5, {}}},
          .node = 3,
          .until = event::from_raw(0x1234'5678)};
}
std::vector<std::byte> bytes_of(const auto& m) {
  writer w;
  encode_message(w, m, four_nodes);
  return {w.all().begin(), w.all().end()};
}
bool is_read(std::span<const std::byte> bytes, auto& m) {
  reader r(bytes);
  return decode_message(r, m, four_nodes);
}

}  // namespace

TEST_CASE("a message of all kinds of fields is read as it was written") {
  const one_of_all written = example();
  one_of_all read;
  CHECK(is_read(bytes_of(written), read));
  CHECK(read == written);
  one_of_all nothing, empty;
  CHECK(is_read(bytes_of(empty), nothing));
  CHECK(nothing == empty);
}

TEST_CASE("a message that is cut anywhere, or longer than its fields, is refused") {
  std::vector<std::byte> bytes = bytes_of(example());
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    one_of_all m;
    CHECK_FALSE(is_read(std::span(bytes).first(n), m));
  }
  bytes.push_back({});
  one_of_all m;
  CHECK_FALSE(is_read(bytes, m));
}

TEST_CASE("what no node could have written is refused: a third bool, an unknown enumerator, a rank beyond the job") {
  for (const auto& [at, value] : {std::pair<std::size_t, int>{0, 2}, {1, 3}}) {
    std::vector<std::byte> bytes = bytes_of(example());
    bytes[at] = static_cast<std::byte>(value);
    one_of_all m;
    CHECK_FALSE(is_read(bytes, m));
  }
  one_of_all elsewhere = example(), m;
  elsewhere.node = 4;
  CHECK_FALSE(is_read(bytes_of(elsewhere), m));
}

TEST_CASE("a count that the bytes cannot hold is refused before anything is allocated for it") {
  writer w;
  w.put(std::uint32_t{0xffff'ffff});
  reader r(w.all());
  field_decoder d(r, four_nodes);
  std::vector<part_of_all> all;
  d.get(all);
  CHECK_FALSE(d.is_good());
  CHECK(all.capacity() == 0);
}

TEST_CASE("arbitrary bytes are refused, or are what the message that they make is written as") {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes = bytes_of(example());
    for (int changes = 1 + round % 3; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    one_of_all m;
    if (is_read(bytes, m)) CHECK(bytes_of(m) == bytes);
  }
}

TEST_CASE("the last field of a message may be bytes that stay where they lie") {
  const std::vector<std::byte> content(5, std::byte{9});
  const with_rest m{.number = 1, .rest = content};
  writer head;
  CHECK(encode_head(head, m, four_nodes).data() == content.data());
  CHECK(head.size() == 4);
  std::vector<std::byte> bytes = bytes_of(m);
  with_rest read;
  REQUIRE(is_read(bytes, read));
  CHECK(read.rest.size() == 5);
  CHECK(read.rest.data() == bytes.data() + 4);
}

namespace {

struct pinged_node {
  pinged_node(net::sim::network& network, rank r) {
    job.on<&pinged_node::on_ping>(this);
    job.start([&](net::handlers& all) { return network.join(r, all); });
    runtime.node = job.node();
    context.runtime = &runtime;
  }
  void on_ping(rank from, const ping& m, base::thread_context&) {
    numbers.push_back(m.number);
    if (m.number > 0) job.send(from, ping{m.number - 1});
  }
  void poll() {
    const testing::visit here(context);
    job.poll();
  }

  base::runtime_context runtime;
  base::thread_context context;
  dist::job job;
  std::vector<std::uint32_t> numbers;
};

}  // namespace

TEST_CASE("a job sends structs by their types, and loses a node that sends what is not one") {
  const auto network = net::sim::network::make({.nodes = 2, .seed = 1});
  pinged_node zero(*network, 0), one(*network, 1);
  const auto settle = [&] {
    while (zero.job.is_pending() || one.job.is_pending()) zero.poll(), one.poll();
  };
  zero.job.send(1, ping{3});
  settle();
  CHECK(one.numbers == std::vector<std::uint32_t>{3, 1});
  CHECK(zero.numbers == std::vector<std::uint32_t>{2, 0});
  CHECK(zero.job.messages().handled == 2);
  zero.job.send(1, zero.job.kind_of<ping>(), writer(std::uint16_t{1}));
  settle();
  CHECK(one.numbers.size() == 2);
  REQUIRE(one.job.is_lost(0));
  CHECK(exception_text(one.job.loss_of(0)->exception()).find("test.ping") != std::string::npos);
}

}  // namespace stretto::dist
