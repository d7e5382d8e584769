#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <stretto/stretto.hpp>
#include <vector>

#include "campaign.hpp"
#include "ranks/datatypes/packed_data.hpp"
#include "ranks/random_types.hpp"
#include "ranks/thrown_class.hpp"
#include "ranks/windows/access_server.hpp"
#include "ranks/windows/message_target.hpp"
#include "ranks/windows/type_description.hpp"

using namespace stretto;
using ranks::access_kind, ranks::predefined_operator;

namespace {

/// Two ranks of which the first accesses the window of the second by messages. These are handled within the calls.
struct window_by_messages {
  explicit window_by_messages(const ranks::fixed_memory* memory)
      : origin_channel(origin, ranks::context_number(8), 0),
        target_channel(target, ranks::context_number(8), 1),
        own(combining),
        server((connect(), target_channel), own),
        access(origin_channel, 1, memory) {
    if (memory) own.memory.set_fixed(*memory);
    server.start();
  }
  ~window_by_messages() { server.stop(); }

  void connect() {
    for (auto* const channel : {&origin_channel, &target_channel})
      channel->peers = {{&origin, nullptr}, {&target, nullptr}};
  }

  // In place of the server, once it has stopped:
  std::optional<ranks::access_header> next_message() {
    const ranks::envelope pattern = target_channel.from(0, ranks::header_tag);
    if (!ranks::try_probe(target, pattern)) return std::nullopt;
    std::array<std::byte, 256> message;
    ranks::receive({target, pattern, {message.data(), std::ssize(message)}});
    ranks::access_header header;
    std::memcpy(&header, message.data(), sizeof header);
    return header;
  }
  template <class T>
  void reply(int tag, T value) {
    target_channel.start_send_of(0, tag, {&value, sizeof value});
  }

  ranks::mailbox origin, target;
  ranks::window_channel origin_channel, target_channel;
  base::spin_lock combining;
  ranks::local_target own;
  ranks::access_server server;
  ranks::message_target access;
};

/// Waiters of messages need a runtime's thread.
template <class Body>
void in_runtime(const Body& body) {
  runtime_options options;
  options.workers = 1;
  runtime(options).run(body);
}

bool overlaps_itself(const test::type_model& model, std::int64_t count) {
  auto all = model.bytes(count);
  std::ranges::sort(all);
  return std::ranges::adjacent_find(all) != all.end();
}

const ranks::datatype& number_type() { return *ranks::predefined_type(0x250); }

/// To and from the first number of a window.
ranks::window_operation put_of(int& value) {
  return {
      .kind = access_kind::put, .origin = {&value, 1, &number_type()}, .result = {}, .target = {0, 1, &number_type()}};
}
ranks::window_operation get_of(int& value) {
  return {
      .kind = access_kind::get, .origin = {}, .result = {&value, 1, &number_type()}, .target = {0, 1, &number_type()}};
}

}  // namespace

TEST_CASE("a type that is made from a description has the data of the original") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(2000, 100'000); ++seed) {
    CAPTURE(seed);
    test::random_types random(seed);
    const test::modelled_type made = random.next();
    const ranks::datatype_ref copy = ranks::described_type(ranks::description_of(*made.type));
    REQUIRE(copy->size() == made.type->size());
    REQUIRE(copy->bounds().lb == made.type->bounds().lb);
    REQUIRE(copy->extent() == made.type->extent());
    test::element_memory memory(made.model, 2);
    memory.fill(static_cast<unsigned>(seed));
    std::vector<std::byte> packed(static_cast<std::size_t>(2 * copy->size())), packed_copy = packed;
    std::int64_t position = 0;
    ranks::pack(*made.type, memory.origin(), 2, packed, position);
    position = 0;
    ranks::pack(*copy, memory.origin(), 2, packed_copy, position);
    REQUIRE(packed == packed_copy);
  }
}

TEST_CASE("random puts and gets by messages do what direct ones do") {
  in_runtime([&] {
    for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(1000, 50'000); ++seed) {
      CAPTURE(seed);
      test::random_types random(seed);
      const test::modelled_type made = random.next();
      const std::int64_t count = random.number(0, 3), bytes = count * made.type->size();
      if (overlaps_itself(made.model, count)) continue;
      test::element_memory far(made.model, count), near(made.model, count);
      far.fill(static_cast<unsigned>(seed));
      near.bytes = far.bytes;
      std::vector<std::byte> data(static_cast<std::size_t>(bytes), std::byte{7}), got = data, got_near = data;
      const ranks::datatype& byte = *ranks::predefined_type(0x247);
      window_by_messages window(nullptr);
      ranks::local_target direct(window.combining);
      if (!far.bytes.empty()) {
        window.own.memory.attach(far.bytes.data(), std::ssize(far.bytes));
        direct.memory.attach(near.bytes.data(), std::ssize(near.bytes));
      }
      const auto perform = [&](ranks::window_target& target, test::element_memory& memory,
                               std::vector<std::byte>& into) {
        const ranks::target_place place{reinterpret_cast<std::intptr_t>(memory.origin()), count, made.type.get()};
        target.begin({.kind = access_kind::get, .origin = {}, .result = {into.data(), bytes, &byte}, .target = place});
        target.begin({.kind = access_kind::put, .origin = {data.data(), bytes, &byte}, .result = {}, .target = place});
        target.flush({});
      };
      perform(window.access, far, got);
      perform(direct, near, got_near);
      REQUIRE(got == got_near);
      REQUIRE(far.bytes == near.bytes);
    }
  });
}

TEST_CASE("accumulates, fetches and exchanges of values by messages") {
  in_runtime([&] {
    std::vector<int> memory(3000, 1), ones(3000, 2), old(3000);
    const ranks::fixed_memory fixed{reinterpret_cast<std::byte*>(memory.data()), 12'000, 4};
    window_by_messages window(&fixed);
    const auto& sum = *ranks::predefined_operation(static_cast<std::uintptr_t>(predefined_operator::sum));
    window.access.begin({.kind = access_kind::accumulate,
                         .origin = {ones.data(), 3000, &number_type()},
                         .result = {},
                         .target = {0, 3000, &number_type()},
                         .operation = &sum});
    const auto fetched = window.access.begin({.kind = access_kind::get_accumulate,
                                              .origin = {ones.data(), 1000, &number_type()},
                                              .result = {old.data(), 1000, &number_type()},
                                              .target = {2000, 1000, &number_type()},
                                              .operation = &sum});
    window.access.flush({});
    CHECK(fetched->is_done());
    CHECK(memory[1999] == 3);
    CHECK(memory[2999] == 5);
    CHECK(old[999] == 3);
    int desired = 9, expected = 5, found = 0;
    window.access.begin({.kind = access_kind::compare_and_swap,
                         .origin = {&desired, 1, &number_type()},
                         .result = {&found, 1, &number_type()},
                         .target = {2999, 1, &number_type()},
                         .operation = nullptr,
                         .expected = &expected});
    window.access.flush({});
    CHECK(found == 5);
    CHECK(memory[2999] == 9);
  });
}

TEST_CASE("the calling rank checks accesses to windows of known size, a flush reports those to others") {
  in_runtime([&] {
    std::array<int, 4> memory{};
    const ranks::fixed_memory fixed{reinterpret_cast<std::byte*>(memory.data()), 16, 4};
    int value = 1;
    window_by_messages known(&fixed), dynamic(nullptr);
    const ranks::window_operation outside{.kind = access_kind::put,
                                          .origin = {&value, 1, &number_type()},
                                          .result = {},
                                          .target = {4, 1, &number_type()}};
    CHECK(test::thrown_class([&] { known.access.begin(outside); }) == ranks::error_class::rma_range);
    CHECK(test::thrown_class([&] { dynamic.access.begin(outside); }) == ranks::error_class::success);
    CHECK(test::thrown_class([&] { dynamic.access.flush({}); }) == ranks::error_class::rma_range);
    CHECK(test::thrown_class([&] { dynamic.access.flush({}); }) == ranks::error_class::success);
  });
}

TEST_CASE("a flush sends nothing if all accesses before it had replies") {
  in_runtime([&] {
    std::array<int, 4> memory{1, 2, 3, 4}, found{};
    const ranks::fixed_memory fixed{reinterpret_cast<std::byte*>(memory.data()), 16, 4};
    window_by_messages window(&fixed);
    window.access.begin({.kind = access_kind::get,
                         .origin = {},
                         .result = {found.data(), 4, &number_type()},
                         .target = {0, 4, &number_type()}});
    window.server.stop();  // a message would wait for ever
    window.access.flush({});
    CHECK(found == memory);
  });
}

TEST_CASE("data of every length arrives where a put sends it, and a get returns it") {
  in_runtime([&] {
    std::vector<int> memory(20'000), values(20'000), found(20'000);
    const ranks::fixed_memory fixed{reinterpret_cast<std::byte*>(memory.data()), 80'000, 4};
    window_by_messages window(&fixed);
    for (const int count : {1, 990, 1000, 1005, 1010, 1024, 1025, 20'000}) {
      CAPTURE(count);
      std::iota(values.begin(), values.end(), count);
      const ranks::origin_data from{values.data(), count, &number_type()}, to{found.data(), count, &number_type()};
      const ranks::target_place place{20'000 - count, count, &number_type()};
      window.access.begin({.kind = access_kind::put, .origin = from, .result = {}, .target = place});
      window.access.flush({});
      CHECK(std::equal(memory.end() - count, memory.end(), values.begin()));
      window.access.begin({.kind = access_kind::get, .origin = {}, .result = to, .target = place});
      window.access.flush({});
      CHECK(std::equal(values.begin(), values.begin() + count, found.begin()));
    }
  });
}

TEST_CASE("long data that a target cannot take is dropped, and a flush reports it") {
  in_runtime([&] {
    std::vector<int> memory(2000), values(2000, 1);
    window_by_messages window(nullptr);
    const ranks::origin_data from{values.data(), 2000, &number_type()};
    const ranks::target_place place{reinterpret_cast<std::intptr_t>(memory.data()), 2000, &number_type()};
    window.access.begin({.kind = access_kind::put, .origin = from, .result = {}, .target = place});
    CHECK(test::thrown_class([&] { window.access.flush({}); }) == ranks::error_class::rma_range);
    CHECK(memory[0] == 0);
    window.own.memory.attach(reinterpret_cast<std::byte*>(memory.data()), 8000);
    window.access.begin({.kind = access_kind::put, .origin = from, .result = {}, .target = place});
    window.access.flush({});
    CHECK(memory == values);
  });
}

TEST_CASE("a lock that is taken by messages is that of the ranks of the node") {
  in_runtime([&] {
    std::array<int, 4> memory{};
    int value = 3;
    const ranks::fixed_memory fixed{reinterpret_cast<std::byte*>(memory.data()), 16, 4};
    window_by_messages window(&fixed);
    window.access.lock(ranks::lock_mode::exclusive, {});
    window.access.begin(put_of(value));
    window.access.flush({});
    ranks::lock_request request(ranks::lock_mode::shared, ranks::world_rank{1});
    window.own.queue().acquire(request);
    CHECK_FALSE(request.is_done());
    window.access.unlock({});
    CHECK(request.is_done());
    window.access.lock(ranks::lock_mode::shared, {});
    window.access.begin(put_of(value));
    window.access.flush({});
    window.own.queue().release(ranks::world_rank{1});
    window.access.unlock({});
  });
}

TEST_CASE("an epoch of one short access under a lock is one message, that of none is no message") {
  in_runtime([&] {
    std::array<int, 4> memory{};
    int value = 3, found = 0;
    const ranks::fixed_memory fixed{reinterpret_cast<std::byte*>(memory.data()), 16, 4};
    window_by_messages window(&fixed);
    window.server.stop();
    window.access.lock(ranks::lock_mode::exclusive, {});
    window.access.flush({});
    window.access.unlock({});
    CHECK_FALSE(window.next_message());

    window.access.lock(ranks::lock_mode::exclusive, {});
    window.access.begin(put_of(value));
    CHECK_FALSE(window.next_message());
    const auto put = window.access.start_unlock({});
    const auto of_put = window.next_message();
    REQUIRE(of_put);
    CHECK(of_put->what == ranks::access_request::put);
    CHECK(of_put->steps ==
          (ranks::access_step::lock_exclusive | ranks::access_step::unlock | ranks::access_step::report));
    CHECK_FALSE(window.next_message());
    window.reply(ranks::steps_tag(of_put->number), std::int64_t{0});
    put->wait({});

    window.access.lock(ranks::lock_mode::shared, {});
    window.access.begin(get_of(found));
    const auto get = window.access.start_unlock({});
    const auto of_get = window.next_message();
    REQUIRE(of_get);
    CHECK(of_get->steps == (ranks::access_step::lock_shared | ranks::access_step::unlock));
    window.reply(ranks::reply_tag(of_get->number), 7);
    get->wait({});
    CHECK(found == 7);
    CHECK_FALSE(window.next_message());
  });
}

TEST_CASE("the second access under a lock, a flush, and one for whose request the program waits ask for the lock") {
  in_runtime([&] {
    std::array<int, 4> memory{};
    int value = 3;
    const ranks::fixed_memory fixed{reinterpret_cast<std::byte*>(memory.data()), 16, 4};
    for (const int how : {0, 1, 2}) {
      CAPTURE(how);
      window_by_messages window(&fixed);
      ranks::window_operation put = put_of(value);
      put.is_waited_for = how == 2;
      window.access.lock(ranks::lock_mode::exclusive, {});
      window.access.begin(put);
      if (how == 0) window.access.begin(put_of(value));
      if (how == 1) window.access.flush({});
      ranks::lock_request request(ranks::lock_mode::shared, ranks::world_rank{1});
      window.own.queue().acquire(request);
      CHECK_FALSE(request.is_done());
      window.access.unlock({});
      CHECK(request.is_done());
      CHECK(memory[0] == 3);
      window.own.queue().release(ranks::world_rank{1});
    }
  });
}

TEST_CASE("an access under a lock is performed once the lock is released, and then gives it up") {
  in_runtime([&] {
    std::array<int, 4> memory{};
    int value = 3, found = 0;
    const ranks::fixed_memory fixed{reinterpret_cast<std::byte*>(memory.data()), 16, 4};
    for (const bool is_get : {false, true}) {
      window_by_messages window(&fixed);
      ranks::lock_request before(ranks::lock_mode::exclusive, ranks::world_rank{1}),
          behind(ranks::lock_mode::exclusive, ranks::world_rank{1});
      memory[0] = 5;
      window.own.queue().acquire(before);
      window.access.lock(ranks::lock_mode::shared, {});
      window.access.begin(is_get ? get_of(found) : put_of(value));
      const auto unlock = window.access.start_unlock({});
      window.own.queue().acquire(behind);
      CHECK(memory[0] == 5);
      CHECK(found == 0);
      CHECK_FALSE(behind.is_done());
      window.own.queue().release(ranks::world_rank{1});
      CHECK(behind.is_done());
      unlock->wait({});
      CHECK((is_get ? found == 5 : memory[0] == 3));
      window.own.queue().release(ranks::world_rank{1});
    }
  });
}

TEST_CASE("an unlock reports the error of the only access under the lock") {
  in_runtime([&] {
    int value = 3, found = 0;
    window_by_messages window(nullptr);
    for (const auto& operation : {put_of(value), get_of(found)}) {
      window.access.lock(ranks::lock_mode::exclusive, {});
      window.access.begin(operation);
      CHECK(test::thrown_class([&] { window.access.unlock({}); }) == ranks::error_class::rma_range);
      window.access.lock(ranks::lock_mode::exclusive, {});
      window.access.begin(operation);
      CHECK(test::thrown_class([&] { window.access.flush({}); }) == ranks::error_class::rma_range);
      CHECK(test::thrown_class([&] { window.access.unlock({}); }) == ranks::error_class::success);
    }
  });
}

TEST_CASE("data of every length is read and written under a lock") {
  in_runtime([&] {
    std::vector<int> memory(20'000), values(20'000), found(20'000);
    const ranks::fixed_memory fixed{reinterpret_cast<std::byte*>(memory.data()), 80'000, 4};
    window_by_messages window(&fixed);
    for (const int count : {1, 990, 1000, 1005, 1010, 1024, 1025, 20'000}) {
      CAPTURE(count);
      std::iota(values.begin(), values.end(), count);
      const ranks::target_place place{20'000 - count, count, &number_type()};
      window.access.lock(ranks::lock_mode::exclusive, {});
      window.access.begin(
          {.kind = access_kind::put, .origin = {values.data(), count, &number_type()}, .result = {}, .target = place});
      window.access.unlock({});
      CHECK(std::equal(memory.end() - count, memory.end(), values.begin()));
      window.access.lock(ranks::lock_mode::shared, {});
      window.access.begin(
          {.kind = access_kind::get, .origin = {}, .result = {found.data(), count, &number_type()}, .target = place});
      window.access.unlock({});
      CHECK(std::equal(values.begin(), values.begin() + count, found.begin()));
    }
  });
}
