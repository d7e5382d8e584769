// A window by messages refuses what would go beyond it; the conformance tests show what it does for sound messages.
#include "net/messages_window.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "counting_completion.hpp"
#include "net/sim/network.hpp"

namespace stretto::net {
namespace {

constexpr std::uint64_t window_bytes = 64;

struct window_node {
  window_node(const std::shared_ptr<sim::network>& network, node_number self) : window(all) {
    net = network->join(self, all);
    window.open(*net, window_bytes);
    net->on_malformed([this](node_number from, std::string_view handler) {
      malformed += std::to_string(from) + ":" + std::string(handler) + " ";
    });
  }
  handlers all;
  messages_window window;
  std::unique_ptr<transport> net;
  std::string malformed;
};

/// Node 0 has a sound window; node 1 sends what it likes.
struct attacked {
  void send(const char* name, std::vector<std::uint64_t> head, std::size_t payload_bytes = 0) {
    const std::vector<std::byte> payload(payload_bytes, std::byte{1});
    peer.net->send(
        {.to = 0, .handler = peer.all.number(name), .head = std::as_bytes(std::span(head)), .payload = payload});
    poll();
  }
  void poll() {
    while (here.net->is_pending() || peer.net->is_pending()) here.net->poll(), peer.net->poll();
  }
  /// The malformed messages of node 0 since the last call.
  std::string found() { return std::exchange(here.malformed, {}); }

  std::shared_ptr<sim::network> network = sim::network::make({.nodes = 2});
  window_node here{network, 0}, peer{network, 1};
};

}  // namespace

TEST_CASE("an access beyond the window is malformed, even if its end overflows, and touches nothing") {
  attacked a;
  constexpr std::uint64_t most = ~std::uint64_t{0};
  for (const std::uint64_t offset : {window_bytes - 7, window_bytes, window_bytes + 1, most - 7, most}) {
    CAPTURE(offset);
    a.send("window.put", {1, offset, 8}, 8);
    CHECK(a.found() == "1:window.put ");
    a.send("window.get", {2, offset, 8});
    CHECK(a.found() == "1:window.get ");
  }
  a.send("window.put", {1, window_bytes - 8, 8}, 4096);  // the payload counts, not what the head says of it
  CHECK(a.found() == "1:window.put ");
  a.send("window.get", {1, 8, most});
  CHECK(a.found() == "1:window.get ");
  a.send("window.put", {1, 0}, 8);  // too short
  CHECK(a.found() == "1:window.put ");
  CHECK(a.peer.malformed == "");  // no reply was sent
  std::array<std::byte, window_bytes> now{};
  test::counting_completion done;
  a.peer.window.get(0, 0, now, done);
  a.poll();
  CHECK(done.times == 1);
  CHECK(now == std::array<std::byte, window_bytes>{});
}

TEST_CASE("a reply that nothing waits for, or of another size or node, is malformed") {
  attacked a;
  a.send("window.got", {1, 0, 8}, 8);
  CHECK(a.found() == "1:window.got ");
  std::array<std::byte, 8> into{};
  test::counting_completion of_itself, of_peer;
  a.here.window.get(0, 0, into, of_itself);  // the access 1, not of node 1
  a.send("window.got", {1, 0, 8}, 8);
  CHECK(a.found().starts_with("1:window.got "));
  CHECK(of_itself.times == 1);
  a.here.window.get(1, 0, into, of_peer);  // the access 2
  a.send("window.got", {2, 0, 9}, 9);      // before node 1 receives the request
  CHECK(a.found() == "1:window.got ");
  CHECK(of_peer.times == 1);  // by the reply of the window
  CHECK(into == std::array<std::byte, 8>{});
}

TEST_CASE("a put and a get up to the end of the window are sound") {
  attacked a;
  const std::array<std::byte, 8> from{std::byte{7}};
  std::array<std::byte, 8> into{};
  test::counting_completion put, got;
  a.peer.window.put(0, window_bytes - 8, from, put);
  a.poll();
  a.peer.window.get(0, window_bytes - 8, into, got);
  a.poll();
  CHECK(put.times == 1);
  CHECK(got.times == 1);
  CHECK(into == from);
  CHECK(a.found() == "");
}

}  // namespace stretto::net
