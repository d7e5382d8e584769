#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <vector>

#include <stretto/finish.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include "ranks/call_error.hpp"
#include "ranks/datatypes/type_constructors.hpp"
#include "ranks/inaccessible_memory.hpp"
#include "ranks/messages/point_to_point.hpp"

using namespace stretto;
using ranks::context_number, ranks::data_part, ranks::envelope, ranks::error_class;
using test::inaccessible_memory;

namespace {

constexpr std::int64_t small_bytes = 600, large_bytes = 100'000;
constexpr envelope usual{context_number(0), 0, 3};

std::vector<std::byte> numbered_bytes(std::int64_t count) {
  std::vector<std::byte> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::byte>(i * 7 + i / 256);
  return all;
}

std::vector<std::byte> zero_bytes(std::int64_t count) {
  return std::vector<std::byte>(static_cast<std::size_t>(count));
}

/// A device whose copies are under way until the test ends them.
struct slow_memory : inaccessible_memory {
  explicit slow_memory(std::vector<std::byte> initial) : inaccessible_memory(std::move(initial)) { is_slow = true; }
};

data_part data_of(std::vector<std::byte>& host) { return {host.data(), std::ssize(host)}; }
data_part data_of(inaccessible_memory& device) { return {device.first(), std::ssize(device.bytes)}; }

/// Sends within a node, to one rank.
struct receiver {
  ranks::mailbox box;

  ranks::request_owner send(const data_part& data, ranks::send_mode mode = ranks::send_mode::standard) {
    return ranks::start_send({{&box}, usual, data, mode});
  }
  ranks::request_owner receive(const data_part& data) { return ranks::start_receive({box, usual, data}); }
};

}  // namespace

TEST_CASE("a message from a device ends both sides when its driver has copied it, whichever side comes first") {
  for (const bool is_receive_first : {true, false}) {
    for (const ranks::send_mode mode : {ranks::send_mode::standard, ranks::send_mode::synchronous}) {
      CAPTURE(is_receive_first);
      receiver rank;
      slow_memory source(numbered_bytes(large_bytes));
      std::vector<std::byte> target = zero_bytes(large_bytes + 5);
      ranks::request_owner receive, send;
      if (is_receive_first) receive = rank.receive(data_of(target));
      send = rank.send(data_of(source), mode);
      if (!is_receive_first) receive = rank.receive(data_of(target));
      REQUIRE(source.under_way.size() == 1);
      CHECK_FALSE(send->is_done());
      CHECK_FALSE(receive->is_done());
      source.end_copies();
      CHECK(send->is_done());
      REQUIRE(receive->is_done());
      CHECK(receive->status.bytes == large_bytes);
      CHECK(receive->status.error == error_class::success);
      target.resize(large_bytes);
      CHECK(target == source.bytes);
    }
  }
}

TEST_CASE("a message to a device ends when its driver has copied it, also one that was copied aside before") {
  for (const std::int64_t bytes : {std::int64_t{8}, small_bytes, large_bytes}) {
    CAPTURE(bytes);
    receiver rank;
    std::vector<std::byte> source = numbered_bytes(bytes);
    slow_memory target(zero_bytes(bytes));
    const auto send = rank.send(data_of(source));
    CHECK(send->is_done() == (bytes <= ranks::eager_bytes));
    const auto receive = rank.receive(data_of(target));
    CHECK_FALSE(receive->is_done());
    target.end_copies();
    CHECK(receive->is_done());
    CHECK(send->is_done());
    CHECK(target.bytes == source);
  }
}

TEST_CASE("a small message from a device is copied aside, and stays behind earlier messages") {
  receiver rank;
  std::vector<std::byte> first(small_bytes, std::byte{1}), received = zero_bytes(small_bytes);
  inaccessible_memory second(std::vector<std::byte>(small_bytes, std::byte{2}));
  std::vector<std::byte> third(small_bytes, std::byte{3});
  for (const data_part& one : {data_of(first), data_of(second), data_of(third)}) CHECK(rank.send(one)->is_done());
  second.bytes = zero_bytes(small_bytes);
  for (const int number : {1, 2, 3}) {
    CHECK(rank.receive(data_of(received))->is_done());
    CHECK(received == std::vector<std::byte>(small_bytes, static_cast<std::byte>(number)));
  }
  const auto cancelled = rank.send(data_of(second));
  ranks::cancel(*cancelled);
  CHECK(cancelled->status.is_cancelled);
  CHECK_FALSE(ranks::try_probe(rank.box, usual));
}

TEST_CASE("data between devices that do not reach each other goes by way of the host, in two halves") {
  receiver rank;
  const auto column = ranks::make_vector(50, 3, 8, *ranks::predefined_type(0x209));
  column->commit();
  const std::int64_t bytes = column->size();
  slow_memory source(numbered_bytes(400 * 4)), target(zero_bytes(bytes));
  const auto receive = rank.receive(data_of(target));
  const auto send = rank.send({source.first(), 1, *column}, ranks::send_mode::synchronous);
  REQUIRE(source.under_way.size() == 1);
  CHECK(target.under_way.empty());
  source.end_copies();
  REQUIRE(target.under_way.size() == 1);
  CHECK_FALSE(send->is_done());
  CHECK_FALSE(receive->is_done());
  target.end_copies();
  CHECK(send->is_done());
  REQUIRE(receive->is_done());
  std::vector<std::byte> expected = zero_bytes(bytes);
  for (std::size_t row = 0; row < 50; ++row) std::memcpy(&expected[12 * row], &source.bytes[32 * row], 12);
  CHECK(target.bytes == expected);
}

TEST_CASE("a failure of a driver is an error of both sides, in each half") {
  const auto failure = std::make_exception_ptr(std::runtime_error("the device has failed"));
  for (const bool in_second_half : {false, true}) {
    CAPTURE(in_second_half);
    receiver rank;
    slow_memory source(numbered_bytes(large_bytes)), target(zero_bytes(large_bytes));
    const auto send = rank.send(data_of(source));
    const auto receive = rank.receive(data_of(target));
    source.end_copies(in_second_half ? nullptr : failure);
    if (in_second_half) target.end_copies(failure);
    REQUIRE(receive->is_done());
    REQUIRE(send->is_done());
    CHECK(receive->status.error == error_class::other);
    CHECK(send->status.error == error_class::other);
    CHECK_THROWS_AS(ranks::throw_error_of(send->status), ranks::call_error);
  }
}

TEST_CASE("a truncated message from a device reports both lengths") {
  receiver rank;
  slow_memory source(numbered_bytes(large_bytes));
  std::vector<std::byte> target = zero_bytes(large_bytes / 2);
  const auto receive = rank.receive(data_of(target));
  const auto send = rank.send(data_of(source));
  source.end_copies();
  REQUIRE(receive->is_done());
  CHECK(receive->status.error == error_class::truncate);
  CHECK(receive->status.bytes == large_bytes / 2);
  CHECK(receive->status.message_bytes == large_bytes);
  CHECK(send->status.error == error_class::success);
}

TEST_CASE("data from another node takes up capacity until the driver has copied it to a device") {
  struct counted_capacity final : ranks::early_capacity {
    std::int64_t released = 0;
    void release(std::int64_t bytes) noexcept override { released += bytes; }
  } capacity;
  for (const std::int64_t bytes : {small_bytes, large_bytes}) {
    receiver rank;
    capacity.released = 0;
    slow_memory target(zero_bytes(bytes));
    const auto receive = rank.receive(data_of(target));
    {
      std::vector<std::byte> arrived = numbered_bytes(bytes);
      rank.box.deliver_copy(usual, data_of(arrived), &capacity);
    }
    CHECK_FALSE(receive->is_done());
    CHECK(capacity.released == 0);
    target.end_copies();
    CHECK(receive->is_done());
    CHECK(capacity.released == bytes);
    CHECK(target.bytes == numbered_bytes(bytes));
  }
}

TEST_CASE("persistent requests of device memory are started again and again") {
  receiver rank;
  slow_memory source(numbered_bytes(large_bytes));
  std::vector<std::byte> target;
  target = zero_bytes(large_bytes);
  const auto send = ranks::make_send({{&rank.box}, usual, data_of(source)});
  const auto receive = ranks::make_receive({rank.box, usual, data_of(target)});
  for (int round = 0; round < 4; ++round) {
    source.bytes[5] = static_cast<std::byte>(round);
    ranks::start(round % 2 ? *send : *receive);
    ranks::start(round % 2 ? *receive : *send);
    CHECK_FALSE(receive->is_done());
    source.end_copies();
    REQUIRE(receive->is_done());
    REQUIRE(send->is_done());
    CHECK(target == source.bytes);
    send->deactivate();
    receive->deactivate();
  }
}

TEST_CASE("ranks that wait for the driver of a device are suspended, and their worker runs others") {
  receiver rank;
  slow_memory source(numbered_bytes(large_bytes));
  std::vector<std::byte> target = zero_bytes(large_bytes);
  bool is_sent = false, is_received = false, have_waited = false;
  runtime rt({.workers = 1});
  rt.run([&] {
    finish([&] {
      async([&] {
        ranks::send({{&rank.box}, usual, data_of(source)});
        is_sent = true;
      });
      async([&] {
        ranks::receive({rank.box, usual, data_of(target)});
        is_received = true;
      });
      async([&] {
        while (source.under_way.empty()) yield();
        have_waited = !is_sent && !is_received;
        source.end_copies();
      });
    });
  });
  CHECK(have_waited);
  CHECK(is_sent);
  CHECK(is_received);
  CHECK(target == source.bytes);
}
