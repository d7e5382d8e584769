#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include <stretto/finish.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include "campaign.hpp"
#include "ranks/call_error.hpp"
#include "ranks/datatypes/type_constructors.hpp"
#include "ranks/inaccessible_memory.hpp"
#include "ranks/messages/point_to_point.hpp"
#include "ranks/messages/request_set.hpp"
#include "ranks/messages/send_buffer.hpp"

using namespace stretto;
using ranks::context_number, ranks::error_class, ranks::request;

namespace {

/// Two ranks as tasks of a runtime with two workers.
struct pair_of_ranks {
  std::array<ranks::mailbox, 2> boxes;

  ranks::send_arguments to(int rank, int tag, ranks::data_part data, ranks::send_mode mode = {}) {
    return {{&boxes[static_cast<std::size_t>(rank)]}, {context_number(0), 1 - rank, tag}, data, mode};
  }
  ranks::receive_arguments at(int rank, int tag, ranks::data_part data, int source = ranks::any_source) {
    return {boxes[static_cast<std::size_t>(rank)], {context_number(0), source, tag}, data};
  }

  template <class First, class Second>
  void run(First&& first, Second&& second) {
    runtime rt({.workers = 2});
    rt.run([&] {
      finish([&] {
        async([&] { first(); });
        async([&] { second(); });
      });
    });
  }
};

std::vector<int> counted_numbers(std::int64_t n) {
  std::vector<int> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 7);
  return numbers;
}

ranks::data_part data_of_numbers(std::vector<int>& v) {
  return {v.data(), static_cast<std::int64_t>(v.size() * sizeof(int))};
}

}  // namespace

TEST_CASE("ranks exchange messages of all sizes, whichever side comes first") {
  for (const std::int64_t n : {1, 500, 5000, 100'000, 1'000'000}) {
    pair_of_ranks pair;
    std::vector<int> there = counted_numbers(n), back(there.size()), between(there.size());
    const int rounds = n > 10'000 ? 20 : 200;
    pair.run(
        [&] {
          for (int i = 0; i < rounds; ++i) {
            ranks::send(pair.to(1, i, data_of_numbers(there)));
            std::ranges::fill(back, 0);
            ranks::receive(pair.at(0, i, data_of_numbers(back)));
            CHECK(std::ranges::equal(back, there));
          }
        },
        [&] {
          for (int i = 0; i < rounds; ++i) {
            CHECK(ranks::receive(pair.at(1, i, data_of_numbers(between))).bytes == n * 4);
            ranks::send(pair.to(0, i, data_of_numbers(between)));
          }
        });
  }
}

TEST_CASE("both sides of a large message with different layouts copy it") {
  pair_of_ranks pair;
  constexpr std::int64_t n = 60'000;
  const auto column = ranks::make_vector(n, 1, 3, *ranks::predefined_type(0x250));
  column->commit();
  std::vector<int> sent = counted_numbers(3 * n), received(2 * n);
  const auto pairs = ranks::make_vector(n / 2, 2, 4, *ranks::predefined_type(0x250));
  pairs->commit();
  pair.run(
      [&] {
        for (int i = 0; i < 20; ++i) ranks::send(pair.to(1, i, {sent.data(), 1, *column}));
      },
      [&] {
        for (int i = 0; i < 20; ++i) {
          std::ranges::fill(received, 0);
          ranks::receive(pair.at(1, i, {received.data(), 1, *pairs}));
          bool is_equal = true;
          for (std::size_t k = 0; k < n; ++k) is_equal &= received[k / 2 * 4 + k % 2] == sent[3 * k];
          CHECK(is_equal);
        }
      });
}

TEST_CASE("a large message from one device to another is one copy, which its driver makes") {
  constexpr std::int64_t bytes = 300'000;
  test::inaccessible_memory source(std::vector<std::byte>(bytes, std::byte{7}));
  test::inaccessible_memory target{std::vector<std::byte>(bytes)};
  source.reached = &target;
  pair_of_ranks pair;
  pair.run([&] { ranks::send(pair.to(1, 3, {source.first(), bytes})); },
           [&] { CHECK(ranks::receive(pair.at(1, 3, {target.first(), bytes})).bytes == bytes); });
  CHECK(source.copies == 1);
  CHECK(target.copies == 0);
  CHECK(target.bytes == source.bytes);
}

TEST_CASE("a synchronous send returns once it is received, and a probe waits for a message") {
  pair_of_ranks pair;
  int sent = 5, received = 0;
  pair.run([&] { ranks::send(pair.to(1, 3, {&sent, 4}, ranks::send_mode::synchronous)); },
           [&] {
             const auto status = ranks::probe(pair.boxes[1], {context_number(0), ranks::any_source, ranks::any_tag});
             CHECK(status.tag == 3);
             CHECK(status.bytes == 4);
             const auto taken = ranks::matched_probe(pair.boxes[1], {context_number(0), 0, 3});
             CHECK_FALSE(ranks::try_probe(pair.boxes[1], {context_number(0), 0, 3}));
             ranks::receive_matched(pair.boxes[1], taken.message, {&received, 4});
           });
  CHECK(received == 5);
}

TEST_CASE("waits for one of several requests return each once, and ignore inactive ones") {
  constexpr int n = 40;
  pair_of_ranks pair;
  std::array<int, n> sent, received{};
  std::iota(sent.begin(), sent.end(), 100);
  pair.run(
      [&] {
        for (int i = n; i-- > 0;) {
          ranks::send(pair.to(1, i, {&sent[static_cast<std::size_t>(i)], 4}, ranks::send_mode::synchronous));
        }
      },
      [&] {
        std::array<request*, n + 2> requests{};
        for (int i = 0; i < n; ++i) {
          requests[static_cast<std::size_t>(i)] =
              ranks::start_receive(pair.at(1, i, {&received[static_cast<std::size_t>(i)], 4})).release();
        }
        requests[n] = ranks::no_request();
        const auto inactive = ranks::make_receive(pair.at(1, 0, {}));
        requests[n + 1] = inactive.get();
        std::array<int, n + 2> indices, seen{};
        std::array<ranks::message_status, n + 2> statuses;
        for (int left = n; left > 0;) {
          if (left % 2) {
            const auto done = ranks::wait_any(requests);
            CHECK(done.status.tag == static_cast<int>(done.index));
            ++seen[done.index];
            --left;
          } else {
            const auto done = ranks::wait_some(requests, indices, statuses);
            CHECK(done.count > 0);
            for (std::size_t i = 0; i < done.count; ++i) ++seen[static_cast<std::size_t>(indices[i])];
            left -= static_cast<int>(done.count);
          }
        }
        CHECK(std::ranges::count(seen, 1) == n);
        CHECK(ranks::wait_any(requests).index == ranks::completed_request::no_index);
        CHECK_FALSE(ranks::wait_some(requests, indices, {}).any_active);
      });
  CHECK(received == sent);
}

TEST_CASE("sends that waiting receives take share a request, which is done; one that comes early has its own") {
  pair_of_ranks pair;
  std::array<int, 2> sent{1, 2}, received{};
  {
    const auto one = ranks::start_receive(pair.at(1, 0, {&received[0], 4}));
    const auto other = ranks::start_receive(pair.at(1, 0, {&received[1], 4}));
    auto first = ranks::start_send(pair.to(1, 0, {&sent[0], 4}));
    auto second = ranks::start_send(pair.to(1, 0, {&sent[1], 4}));
    CHECK(first.get() == second.get());
    CHECK(one->is_done());
    CHECK(other->is_done());
    ranks::cancel(*first);
    request* r = first.release();
    CHECK_FALSE(ranks::wait_one(r).is_cancelled);
    CHECK(r == ranks::no_request());
    CHECK(ranks::is_active(second.get()));
  }
  CHECK(received == sent);
  const auto early = ranks::start_send(pair.to(1, 0, {&sent[0], 4}));
  ranks::cancel(*early);
  CHECK(early->status.is_cancelled);
}

TEST_CASE("a persistent request is waited for many times, alone and with others") {
  pair_of_ranks pair;
  int sent = 0, received = -1;
  constexpr int rounds = 200;
  pair.run(
      [&] {
        const auto send = ranks::make_send(pair.to(1, 0, {&sent, 4}, ranks::send_mode::synchronous));
        for (; sent < rounds; ++sent) {
          ranks::start(*send);
          CHECK_THROWS_AS(ranks::start(*send), ranks::call_error);
          request* r = send.get();
          ranks::wait_one(r);
        }
      },
      [&] {
        const auto receive = ranks::make_receive(pair.at(1, 0, {&received, 4}));
        const auto never = ranks::start_receive(pair.at(1, 1, {}));
        for (int i = 0; i < rounds; ++i) {
          ranks::start(*receive);
          std::array<request*, 2> requests{receive.get(), never.get()};
          CHECK(ranks::wait_any(requests).index == 0);
          CHECK(received == i);
        }
        ranks::cancel(*never);
        request* r = never.get();
        CHECK(ranks::status_of_done(r)->is_cancelled);
      });
}

TEST_CASE("detaching a send buffer waits until its messages are received") {
  pair_of_ranks pair;
  ranks::send_buffer buffer;
  std::vector<int> sent = counted_numbers(5000), received(5000);
  std::array<char, 30'000> memory;
  pair.run(
      [&] {
        auto a = pair.to(1, 0, data_of_numbers(sent), ranks::send_mode::buffered);
        a.buffer = &buffer;
        CHECK_THROWS_WITH_AS(ranks::send(a), "no buffer is attached", ranks::call_error);
        buffer.attach(memory.data(), memory.size());
        ranks::send(a);
        CHECK_THROWS_AS(ranks::send(a), ranks::call_error);
        std::ranges::fill(sent, 0);
        ranks::send(pair.to(1, 1, {}));
        CHECK(buffer.detach() == std::pair<void*, std::int64_t>(memory.data(), memory.size()));
      },
      [&] {
        ranks::receive(pair.at(1, 1, {}));
        ranks::receive(pair.at(1, 0, data_of_numbers(received)));
      });
  CHECK(received == counted_numbers(5000));
}

TEST_CASE("a truncated message is an error with both lengths, and a request is an event") {
  pair_of_ranks pair;
  std::vector<int> sent = counted_numbers(10), received(6);
  pair.run([&] { ranks::send(pair.to(1, 4, data_of_numbers(sent))); },
           [&] {
             const auto r = ranks::start_receive(pair.at(1, 4, data_of_numbers(received)));
             const event done = ranks::event_of(*r);
             const auto seen = async(after(done), [&] { return received; });
             CHECK(seen.get() == counted_numbers(6));
             REQUIRE(r->is_done());
             CHECK(r->status.error == error_class::truncate);
             CHECK_THROWS_WITH_AS(ranks::throw_error_of(r->status),
                                  "the message from rank 0 with tag 4 has 40 bytes, the receive buffer 24",
                                  ranks::call_error);
           });
}

TEST_CASE("a rank that floods another one copies messages aside up to a limit, and then waits for receives") {
  pair_of_ranks ranks_of_node;
  constexpr int count = 80'000, small = 1000;
  ranks_of_node.run(
      [&] {
        std::vector<int> values = counted_numbers(small / 4);
        std::vector<ranks::request_owner> sends;
        for (int i = 0; i < count; ++i)
          sends.push_back(ranks::start_send(ranks_of_node.to(1, 1, data_of_numbers(values))));
        const auto done = std::ranges::count_if(sends, [](const auto& one) { return one->is_done(); });
        CHECK(done * small < ranks::most_early_bytes);
        CHECK(done * 3 * small > ranks::most_early_bytes);
        ranks::send(ranks_of_node.to(1, 2, {}, ranks::send_mode::synchronous));  // it is received first
        for (const auto& one : sends) ranks::wait_for(*one);
        for (int i = 0; i < count; ++i) ranks::send(ranks_of_node.to(1, 3, data_of_numbers(values)));
      },
      [&] {
        std::vector<int> values;
        const auto receive = [&](int tag) {
          values.assign(small / 4, 0);
          ranks::receive(ranks_of_node.at(1, tag, data_of_numbers(values)));
        };
        receive(2);
        for (const int tag : {1, 3})
          for (int i = 0; i < count; ++i) {
            receive(tag);
            REQUIRE(values == counted_numbers(small / 4));
          }
      });
}
