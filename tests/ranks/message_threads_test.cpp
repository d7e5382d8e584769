#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "campaign.hpp"
#include "ranks/messages/point_to_point.hpp"

using namespace stretto;
using ranks::context_number;

namespace {

constexpr int sending_threads = 3, tags_received = 2;
constexpr std::int64_t most_message_bytes = 6000;

/// A message says how many of its sender and tag came before it, and has as many bytes as that number says.
struct numbered_message {
  std::vector<std::int64_t> numbers = std::vector<std::int64_t>(most_message_bytes / 8);

  static std::int64_t bytes_of(std::int64_t n) { return 8 + n * 872 % (most_message_bytes - 8) / 8 * 8; }
  void fill(std::int64_t n) { std::fill_n(numbers.begin(), bytes_of(n) / 8, n); }
  bool is(std::int64_t n) const {
    return std::all_of(numbers.begin(), numbers.begin() + bytes_of(n) / 8, [&](std::int64_t m) { return m == n; });
  }
  ranks::data_part data(std::int64_t bytes) { return {numbers.data(), bytes}; }
};

void wait_by_polling(const ranks::request& r) {
  while (!r.is_done()) std::this_thread::yield();
}

/// Sends the messages of one rank, with all modes but ready and with cancels of what nobody receives.
void send_numbered(ranks::mailbox& to, int source, std::int64_t count) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(source));
  std::array<numbered_message, 4> memories;
  std::array<ranks::request_owner, 4> requests;
  for (std::int64_t n = 0; n < count; ++n) {
    for (int tag = 0; tag < tags_received; ++tag) {
      const std::size_t i = random() % memories.size();
      if (requests[i]) wait_by_polling(*requests[i]);
      memories[i].fill(n);
      const auto mode = random() % 4 ? ranks::send_mode::standard : ranks::send_mode::synchronous;
      requests[i] = ranks::start_send(
          {{&to}, {context_number(0), source, tag}, memories[i].data(numbered_message::bytes_of(n)), mode});
      if (random() % 8) continue;
      const auto unwanted =
          ranks::start_send({{&to}, {context_number(0), source, tags_received}, {}, ranks::send_mode::synchronous});
      ranks::cancel(*unwanted);
      wait_by_polling(*unwanted);
      CHECK(unwanted->status.is_cancelled);
    }
  }
  for (const auto& r : requests) {
    if (r) wait_by_polling(*r);
  }
}

/// Receives all messages with one tag, several at a time, from any source.
void receive_numbered(ranks::mailbox& own, int tag, std::int64_t count) {
  std::array<numbered_message, 4> memories;
  std::array<ranks::request_owner, 4> requests;
  std::array<std::int64_t, sending_threads> next{};
  std::int64_t posted = 0;
  const auto post = [&](std::size_t i) {
    if (posted++ < count * sending_threads)
      requests[i] = ranks::start_receive(
          {own, {context_number(0), ranks::any_source, tag}, memories[i].data(most_message_bytes)});
  };
  bool is_right = true;
  for (std::size_t i = 0; i < requests.size(); ++i) post(i);
  for (std::int64_t n = 0; n < count * sending_threads; ++n) {
    const std::size_t i = static_cast<std::size_t>(n) % requests.size();
    wait_by_polling(*requests[i]);
    const auto status = requests[i]->status;
    const auto sent = next[static_cast<std::size_t>(status.source)]++;
    is_right &= status.tag == tag && status.bytes == numbered_message::bytes_of(sent) && memories[i].is(sent);
    requests[i].reset();
    post(i);
  }
  CHECK(is_right);
}

}  // namespace

TEST_CASE("messages of several threads arrive whole and in the order of each sender") {
  ranks::mailbox box;
  const std::int64_t count = test::scaled(2000, 20'000);
  std::vector<std::thread> threads;
  for (int source = 0; source < sending_threads; ++source)
    threads.emplace_back([&, source] { send_numbered(box, source, count); });
  for (int tag = 0; tag < tags_received; ++tag) threads.emplace_back([&, tag] { receive_numbered(box, tag, count); });
  for (std::thread& t : threads) t.join();
}

TEST_CASE("a receive that one thread cancels while another one sends is cancelled or receives") {
  ranks::mailbox box;
  for (int i = 0; i < test::scaled(2000, 20'000); ++i) {
    std::int64_t received = -1, sent = i;
    const auto receive = ranks::start_receive({box, {context_number(0), 0, 0}, {&received, 8}});
    std::thread sender([&] { ranks::send({{&box}, {context_number(0), 0, 0}, {&sent, 8}}); });
    ranks::cancel(*receive);
    wait_by_polling(*receive);
    sender.join();
    if (receive->status.is_cancelled) {
      CHECK(received == -1);
      ranks::receive({box, {context_number(0), 0, 0}, {&received, 8}});
    }
    CHECK(received == i);
  }
}
