// The simulated network itself: the choices of a seed, virtual time, and the effects of cut links and failed nodes.
#include "net/sim/network.hpp"

#include <stretto/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>

#include "campaign.hpp"
#include "conformance/net_scenario.hpp"
#include "thrown_by.hpp"

namespace stretto::net {
namespace {

/// Nodes whose one handler notes from whom each number came; payloads are received.
struct noted {
  struct node {
    handlers all;
    std::unique_ptr<transport> net;
    std::vector<std::vector<int>> from;
    std::vector<node_number> lost;
    struct landing {
      std::vector<std::byte> bytes;
      told landed;
    };
    std::deque<landing> landings;
    noted* of = nullptr;
    node_number self = 0;
  };
  std::deque<node> nodes;
  std::shared_ptr<sim::network> network;
  std::mutex lock;
  std::string came;  // on all nodes, in order

  explicit noted(sim::settings s) : network(sim::network::make(s)) {
    for (std::uint32_t n = 0; n < s.nodes; ++n) {
      node& one = nodes.emplace_back();
      one.self = static_cast<node_number>(n);
      one.of = this;
      one.from.resize(s.nodes);
      one.all.add(
          "note", &one, +[](void* at, arrival& a) {
            node& here = *static_cast<node*>(at);
            int number = 0;
            std::memcpy(&number, a.head.data(), sizeof number);
            here.from[a.from].push_back(number);
            here.of->log(std::to_string(a.from) + '>' + std::to_string(here.self) + ' ');
            if (!a.rest.bytes()) return;
            auto& l = here.landings.emplace_back();
            l.bytes.resize(a.rest.bytes());
            std::move(a.rest).receive(l.bytes.data(), l.landed);
          });
      one.net = network->join(static_cast<node_number>(n), one.all);
      one.net->on_lost([&one](node_number other) { one.lost.push_back(other); });
    }
  }
  void log(const std::string& one) {
    std::scoped_lock l(lock);
    came += one;
  }
  void send(std::size_t from, std::size_t to, int number, std::span<const std::byte> payload = {},
            told* sent = nullptr) {
    nodes[from].net->send({static_cast<node_number>(to), 0, std::as_bytes(std::span(&number, 1)), payload, sent});
  }
  bool is_over() const {
    return std::none_of(nodes.begin(), nodes.end(), [](const node& n) { return n.net && n.net->is_pending(); });
  }
  void poll_all(std::mt19937_64& random) {
    for (std::uint64_t i = 0; !is_over(); ++i) {
      REQUIRE(i < 1'000'000);
      auto& n = nodes[random() % nodes.size()];
      if (n.net) n.net->poll();
    }
  }
};

std::string code_of(const std::exception_ptr& e) {
  if (!e) return "";
  try {
    std::rethrow_exception(e);
  } catch (const error& told) {
    return std::string(told.code());
  }
}

}  // namespace

TEST_CASE("a seed repeats the order of arrivals, and other seeds give other orders") {
  const auto log_of = [](std::uint64_t seed) {
    noted all({.nodes = 4, .seed = seed});
    for (int i = 0; i < 5; ++i)
      for (std::size_t from = 0; from < 4; ++from)
        for (std::size_t to = 0; to < 4; ++to) all.send(from, to, i);
    std::mt19937_64 same(1);
    all.poll_all(same);
    return all.came + std::to_string(all.network->seconds());
  };
  std::vector<std::string> logs;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    logs.push_back(log_of(seed));
    CHECK(logs.back() == log_of(seed));
  }
  std::sort(logs.begin(), logs.end());
  CHECK(std::unique(logs.begin(), logs.end()) == logs.end());
}

TEST_CASE("a message takes the latency and the time of its bytes, and the next of its pair waits for the wire") {
  noted all({.nodes = 3,
             .latency_seconds = 1e-3,
             .jitter_seconds = 0,
             .bandwidth_bytes_per_second = 1e6,
             .eager_bytes = 1 << 20});
  const std::vector<std::byte> much(99'964);  // with the head and its overhead, 100,000 bytes
  std::mt19937_64 random(1);
  all.send(0, 1, 0, much);
  all.send(0, 2, 0, much);  // another wire
  all.poll_all(random);
  CHECK(all.network->seconds() == doctest::Approx(0.101));
  all.send(0, 1, 0, much);
  all.send(0, 1, 0, much);
  all.poll_all(random);
  CHECK(all.network->seconds() == doctest::Approx(0.101 + 0.201));
}

TEST_CASE("a large payload does not delay the messages behind it, and costs one more round trip") {
  noted all({.nodes = 2,
             .latency_seconds = 1e-3,
             .jitter_seconds = 0,
             .bandwidth_bytes_per_second = 1e6,
             .eager_bytes = 100});
  const std::vector<std::byte> much(1'000'000);
  std::mt19937_64 random(1);
  all.send(0, 1, 0, much);
  all.send(0, 1, 1);
  while (all.nodes[1].from[0].size() < 2)
    for (auto& n : all.nodes) n.net->poll();
  CHECK(all.network->seconds() < 0.01);
  CHECK(all.nodes[1].landings[0].landed.times == 0);
  all.poll_all(random);
  CHECK(all.nodes[1].landings[0].landed.times == 1);
  CHECK(all.network->seconds() > 1.002);
  CHECK(all.network->seconds() < 1.01);
}

TEST_CASE("copied payloads count as outstanding until they have arrived") {
  noted all({.nodes = 2, .eager_bytes = 5000});
  std::mt19937_64 random(1);
  CHECK(all.nodes[0].net->outstanding_bytes() == 0);
  all.send(0, 1, 0, std::vector<std::byte>(4000));
  CHECK(all.nodes[0].net->outstanding_bytes() >= 4000);
  CHECK(all.nodes[0].net->outstanding_bytes() < 4100);
  all.send(0, 1, 0, std::vector<std::byte>(1'000'000));  // stays here until the receiver requests it
  CHECK(all.nodes[0].net->outstanding_bytes() >= 1'004'000);
  CHECK(all.nodes[1].net->outstanding_bytes() == 0);
  all.poll_all(random);
  CHECK(all.nodes[0].net->outstanding_bytes() == 0);
  all.send(0, 1, 0, std::vector<std::byte>(1'000'000));
  all.network->cut(0, 1);
  CHECK(all.nodes[0].net->outstanding_bytes() == 0);
}

TEST_CASE("nodes of different programs are refused") {
  const auto network = sim::network::make({.nodes = 2});
  handlers one, other;
  one.add("a", nullptr, +[](void*, arrival&) {});
  other.add("b", nullptr, +[](void*, arrival&) {});
  const auto first = network->join(0, one);
  CHECK(test::thrown_by([&] { network->join(1, other); }).find("N06") != std::string::npos);
  handlers newer;
  newer.add("a", nullptr, +[](void*, arrival&) {});
  newer.must_agree("program", "wave, build 77aa");
  CHECK(test::thrown_by([&] { network->join(1, newer); }).find("N06") != std::string::npos);
}

TEST_CASE("with cut links and failed nodes completions run once, arrivals are a prefix of the sends, nothing hangs") {
  for (std::uint64_t seed = 0; seed < test::scaled_of_one_thread(300u, 10'000u); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const std::uint32_t count = 2 + random() % 5;
    noted all({.nodes = count, .seed = seed, .eager_bytes = 64});
    std::vector<int> number(count * count, 0);
    std::vector<bool> is_cut(count * count, false);
    struct sending {
      std::size_t from, to;
      std::vector<std::byte> bytes;
      told sent;
    };
    std::deque<sending> sendings;
    for (int step = 0; step < 200; ++step) {
      const std::size_t a = random() % count, b = random() % count;
      switch (random() % 16) {
        case 0:
          if (step % 8 == 0 && a != b) {
            all.network->cut(static_cast<node_number>(a), static_cast<node_number>(b));
            is_cut[a * count + b] = is_cut[b * count + a] = true;
          }
          break;
        case 1:
          if (step % 16 == 0) {
            all.network->kill(static_cast<node_number>(a));
            for (std::size_t n = 0; n < count; ++n)
              if (n != a) is_cut[a * count + n] = is_cut[n * count + a] = true;
          }
          break;
        case 2:
        case 3:
        case 4:
        case 5: {
          auto& s = sendings.emplace_back();
          s.from = a, s.to = b;
          s.bytes.assign(random() % 200, std::byte{1});
          all.send(a, b, number[a * count + b]++, s.bytes, &s.sent);
          break;
        }
        default: all.nodes[a].net->poll();
      }
    }
    all.poll_all(random);
    for (const auto& s : sendings) {
      CHECK(s.sent.times == 1);
      const bool may_fail = is_cut[s.from * count + s.to];
      CHECK((code_of(s.sent.failure) == (may_fail && s.sent.failure ? "N05" : "")));
    }
    for (std::size_t to = 0; to < count; ++to) {
      for (std::size_t from = 0; from < count; ++from) {
        const auto& came = all.nodes[to].from[from];
        for (std::size_t i = 0; i < came.size(); ++i) CHECK(came[i] == static_cast<int>(i));
        const auto sent = static_cast<std::size_t>(number[from * count + to]);
        CHECK((is_cut[from * count + to] ? came.size() <= sent : came.size() == sent));
        CHECK(std::count(all.nodes[to].lost.begin(), all.nodes[to].lost.end(), from) == is_cut[from * count + to]);
      }
      for (const auto& l : all.nodes[to].landings) {
        CHECK(l.landed.times == 1);
        if (!l.landed.failure)
          CHECK(std::all_of(l.bytes.begin(), l.bytes.end(), [](std::byte b) { return b == std::byte{1}; }));
      }
    }
  }
}

TEST_CASE("a node is notified of cut links at once, or when it joins if they were cut before") {
  const auto network = sim::network::make({.nodes = 3});
  std::vector<node_number> lost[3];
  handlers all[3];
  std::unique_ptr<transport> nets[3];
  const auto join = [&](node_number n) {
    nets[n] = network->join(n, all[n]);
    nets[n]->on_lost([&lost, n](node_number there) { lost[n].push_back(there); });
  };
  join(0);
  network->cut(0, 1);
  network->cut(1, 2);
  join(1);
  join(2);
  for (auto& net : nets)
    while (net->poll()) {
    }
  CHECK(lost[0] == std::vector<node_number>{1});
  CHECK(lost[1] == std::vector<node_number>{0, 2});
  CHECK(lost[2] == std::vector<node_number>{1});
}

TEST_CASE("a payload that is kept outlives its sender, and then fails") {
  const auto network = sim::network::make({.nodes = 2, .eager_bytes = 8});
  handlers none, keeps;
  payload kept;
  none.add("keep", nullptr, +[](void*, arrival&) {});
  keeps.add("keep", &kept, +[](void* k, arrival& a) { *static_cast<payload*>(k) = std::move(a.rest); });
  auto sender = network->join(0, none);
  const auto receiver = network->join(1, keeps);
  const std::vector<std::byte> bytes(100, std::byte{5});
  sender->send({.to = 1, .payload = bytes});
  while (!kept.bytes()) receiver->poll(), sender->poll();
  sender.reset();
  std::vector<std::byte> target(100);
  told landed;
  std::move(kept).receive(target.data(), landed);
  while (receiver->is_pending()) receiver->poll();
  CHECK(landed.times == 1);
  CHECK(code_of(landed.failure) == "N05");
}

TEST_CASE("messages that a node sent before it left still arrive, except payloads that stayed with it") {
  noted n({.nodes = 3, .seed = 5, .eager_bytes = 8});
  const std::vector<std::byte> large(100);
  for (int i = 0; i < 10; ++i) n.send(0, 1, i);
  told sent;
  n.send(0, 1, 10, large, &sent);
  n.send(1, 0, 11);
  n.nodes[0].net.reset();
  std::mt19937_64 random(5);
  n.poll_all(random);
  std::vector<int> all(11);
  std::iota(all.begin(), all.end(), 0);
  CHECK(n.nodes[1].from[0] == all);
  REQUIRE(n.nodes[1].landings.size() == 1);
  CHECK(code_of(n.nodes[1].landings[0].landed.failure) == "N05");
  CHECK(n.nodes[1].lost.empty());  // it has left, and has not failed
  n.send(1, 0, 12);
  n.poll_all(random);
  CHECK(n.is_over());
}

TEST_CASE("the clock does not wait for messages from a node that has left to one that leaves") {
  noted n({.nodes = 3});
  n.send(0, 1, 1);
  for (int i = 0; i < 3; ++i) n.send(1, 2, i);
  n.nodes[0].net.reset();
  n.nodes[1].net.reset();
  std::mt19937_64 random(1);
  n.poll_all(random);
  CHECK(n.nodes[2].from[1] == (std::vector<int>{0, 1, 2}));
}

TEST_CASE("links are cut while threads send and poll, and each completion still runs once") {
  for (std::uint64_t seed = 0; seed < test::scaled_of_one_thread(30u, 1'000u); ++seed) {
    noted all({.nodes = 3, .seed = seed, .eager_bytes = 64});
    std::deque<told> sent(3 * 60);
    const std::vector<std::byte> bytes(1000, std::byte{1});
    std::atomic<int> polling{3};
    std::vector<std::thread> threads;
    for (std::size_t n = 0; n < 3; ++n)
      threads.emplace_back([&, n] {
        for (std::size_t i = 0; i < 60; ++i) {
          all.send(n, (n + 1 + i % 2) % 3, 0, bytes, &sent[n * 60 + i]);
          all.nodes[n].net->poll();
        }
        --polling;
        while (polling)  // then one thread polls for all nodes
          if (!all.nodes[n].net->poll()) std::this_thread::yield();
      });
    all.network->cut(0, 1);
    if (seed % 3 == 0) all.network->kill(2);
    for (auto& t : threads) t.join();
    std::mt19937_64 random(seed);
    all.poll_all(random);
    for (const told& t : sent) CHECK(t.times == 1);
  }
}

namespace {

/// Nodes with a window of 1 MiB each.
struct lending {
  noted all;
  std::vector<window*> windows;
  explicit lending(sim::settings s) : all(s) {
    for (auto& n : all.nodes) windows.push_back(&n.net->open_window(1 << 20));
  }
};

}  // namespace

TEST_CASE("a node reads and writes the window of another that never polls") {
  lending job({.nodes = 2, .jitter_seconds = 0});
  const auto given = made_of(0, 1, 1, 5000);
  auto read = std::vector<std::byte>(5000);
  told put, got;
  job.windows[0]->put(1, 4096, given, put);
  CHECK(put.times == 0);
  while (!put.times) CHECK(job.all.nodes[0].net->poll());
  job.windows[0]->get(1, 4096, read, got);
  while (!got.times) CHECK(job.all.nodes[0].net->poll());
  CHECK(!put.failure);
  CHECK(!got.failure);
  CHECK(read == given);
  CHECK(!job.all.nodes[0].net->is_pending());
  CHECK(job.all.nodes[1].net->counted().received == 0);
}

TEST_CASE("an access to a window costs two latencies and its bytes") {
  lending job({.nodes = 2, .latency_seconds = 1e-3, .jitter_seconds = 0, .bandwidth_bytes_per_second = 1e6});
  auto read = std::vector<std::byte>(10'000 - 32);
  told got;
  job.windows[0]->get(1, 0, read, got);
  while (!got.times) job.all.nodes[0].net->poll();
  CHECK(job.all.network->seconds() == doctest::Approx(2e-3 + 1e-2).epsilon(1e-3));
}

TEST_CASE("once a link is cut, accesses to a window in progress fail, and so do later ones") {
  for (unsigned seed = 0; seed < test::scaled(100u, 10'000u); ++seed) {
    CAPTURE(seed);
    lending job({.nodes = 3, .seed = seed});
    std::mt19937 random(seed);
    const auto given = made_of(0, 1, seed, 100);
    std::deque<std::vector<std::byte>> read;
    std::deque<told> to_one, to_two, later;
    for (int i = 0; i < 20; ++i) {
      job.windows[0]->put(1, random() % 1000, given, to_one.emplace_back());
      job.windows[0]->get(1, random() % 1000, read.emplace_back(100), to_one.emplace_back());
      job.windows[0]->get(2, random() % 1000, read.emplace_back(100), to_two.emplace_back());
    }
    const auto polls = random() % 60;
    for (unsigned i = 0; i < polls; ++i) job.all.nodes[0].net->poll();
    job.all.network->cut(0, 1);
    job.windows[0]->get(1, 0, read.emplace_back(100), later.emplace_back());
    while (job.all.nodes[0].net->is_pending()) job.all.nodes[0].net->poll();
    for (told& t : to_one) CHECK((t.times == 1 && (!t.failure || code_of(t.failure) == "N05")));
    for (told& t : to_two) CHECK((t.times == 1 && !t.failure));
    for (told& t : later) CHECK((t.times == 1 && t.failure && code_of(t.failure) == "N05"));
  }
}

}  // namespace stretto::net
