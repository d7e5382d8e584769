// Accesses between windows of ranks of several nodes, on the simulated network.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <source_location>
#include <vector>

#include "campaign.hpp"
#include "ranks/datatypes/type_constructors.hpp"
#include "ranks/ranks_on_nodes.hpp"
#include "ranks/windows/access_server.hpp"
#include "ranks/windows/message_target.hpp"

using namespace stretto;
using ranks::access_kind, ranks::context_number, ranks::predefined_operator, ranks::world_rank;
using test::ranks_on_node, test::run_on_nodes;

namespace {

using window_number = std::int64_t;

const ranks::datatype& window_number_type() { return *ranks::predefined_type(0x258); }
const ranks::reduction_operation& window_sum() {
  return *ranks::predefined_operation(static_cast<std::uintptr_t>(predefined_operator::sum));
}
ranks::origin_data origin_of(std::vector<window_number>& v) { return {v.data(), std::ssize(v), &window_number_type()}; }

/// The memory of a rank: a counter, numbers to which all add, and for each rank some that it alone changes.
constexpr std::size_t added_numbers = 3000, own_numbers = 3000;

struct window_of_rank {
  explicit window_of_rank(int of_job) : memory(1 + added_numbers + own_numbers * static_cast<std::size_t>(of_job)) {
    own.memory.set_fixed(fixed());
  }
  ranks::fixed_memory fixed() {
    return {reinterpret_cast<std::byte*>(memory.data()), std::ssize(memory) * 8, sizeof(window_number)};
  }

  std::vector<window_number> memory;
  base::spin_lock combining;
  ranks::local_target own{combining};
};

/// The windows of all ranks, as one of them reaches those: on its node directly, on others by messages.
class reached_windows {
 public:
  reached_windows(ranks_on_node& on, int rank, std::vector<std::unique_ptr<window_of_rank>>& all)
      : channel_(on.boxes[world_rank{rank}], context_number(8), rank),
        server_((connect(on), channel_), all[at(rank)]->own) {
    for (int other = 0; other < on.node.size(); ++other) {
      const ranks::fixed_memory memory = all[at(other)]->fixed();
      if (on.node.reach(world_rank{other}).local) targets.push_back(&all[at(other)]->own);
      else
        targets.push_back(
            remote_.emplace_back(std::make_unique<ranks::message_target>(channel_, other, &memory)).get());
    }
    server_.start();
  }
  ~reached_windows() { server_.stop(); }

  std::vector<ranks::window_target*> targets;

 private:
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
  void connect(ranks_on_node& on) {
    for (int other = 0; other < on.node.size(); ++other) channel_.peers.push_back(on.node.reach(world_rank{other}));
  }

  ranks::window_channel channel_;
  ranks::access_server server_;
  std::vector<std::unique_ptr<ranks::message_target>> remote_;
};

/// The accesses of a rank to one target, and the data that it must find there.
class random_accesses {
 public:
  random_accesses(std::uint64_t seed, int rank, ranks::window_target& target)
      : random_(seed),
        target_(target),
        first_own_(1 + added_numbers + own_numbers * static_cast<std::size_t>(rank)),
        own_(own_numbers) {}

  window_number total = 0;       // added to numbers of all
  window_number increments = 0;  // of the counter

  void perform() {
    switch (random_() % 8) {
      case 0: return add();
      case 1: return fetch_and_add();
      case 2: return put();
      case 3: return put_with_gaps();
      case 4: return increment();
      case 5: return increment_once();
      case 6: return access_under_lock();
      default: return get();
    }
  }
  void flush() {
    target_.flush(std::source_location::current());
    kept_.clear();
  }
  void get() {
    flush();
    std::vector<window_number> found(own_numbers, -1);
    target_.begin(
        {.kind = access_kind::get, .origin = {}, .result = origin_of(found), .target = place(first_own_, own_numbers)});
    flush();
    CHECK(found == own_);
  }

 private:
  static ranks::target_place place(std::size_t first, std::size_t count) {
    return {static_cast<window_number>(first), static_cast<window_number>(count), &window_number_type()};
  }
  std::size_t length() { return std::vector<std::size_t>{1, 10, 400, 500, 520, 1500}[random_() % 6]; }
  std::vector<window_number>& keep(std::vector<window_number> values) {
    return *kept_.emplace_back(std::make_unique<std::vector<window_number>>(std::move(values)));
  }
  std::vector<window_number> some_numbers(std::size_t count) {
    std::vector<window_number> values(count);
    std::iota(values.begin(), values.end(), static_cast<window_number>(random_() % 1000));
    return values;
  }

  void add() {
    std::vector<window_number>& ones = keep(std::vector<window_number>(length(), 1));
    total += std::ssize(ones);
    target_.begin({.kind = access_kind::accumulate,
                   .origin = origin_of(ones),
                   .result = {},
                   .target = place(1 + random_() % 1000, ones.size()),
                   .operation = &window_sum()});
  }
  void fetch_and_add() {
    std::vector<window_number>&ones = keep(std::vector<window_number>(length(), 1)),
    &old = keep(std::vector<window_number>(ones.size(), -1));
    total += std::ssize(ones);
    target_.begin({.kind = access_kind::get_accumulate,
                   .origin = origin_of(ones),
                   .result = origin_of(old),
                   .target = place(1 + random_() % 1000, ones.size()),
                   .operation = &window_sum()});
    if (random_() % 2) return;
    target_.flush(std::source_location::current());
    CHECK(std::ranges::min(old) >= 0);
  }
  void put() {
    const std::size_t count = length(), first = random_() % (own_numbers - count);
    std::vector<window_number>& values = keep(some_numbers(count));
    std::ranges::copy(values, own_.begin() + static_cast<std::ptrdiff_t>(first));
    target_.begin({.kind = access_kind::put,
                   .origin = origin_of(values),
                   .result = {},
                   .target = place(first_own_ + first, count)});
    if (random_() % 2) flush();
  }
  /// Every second number of the target gets one.
  void put_with_gaps() {
    const std::size_t count = length(), first = random_() % (own_numbers - 2 * count + 1);
    const ranks::datatype_ref gaps = ranks::make_vector(static_cast<window_number>(count), 1, 2, window_number_type());
    gaps->commit();
    std::vector<window_number>& values = keep(some_numbers(count));
    for (std::size_t i = 0; i < count; ++i) own_[first + 2 * i] = values[i];
    target_.begin({.kind = access_kind::put,
                   .origin = origin_of(values),
                   .result = {},
                   .target = {static_cast<window_number>(first_own_ + first), 1, gaps.get()}});
  }
  void increment() {
    std::vector<window_number> count(1);
    const std::source_location where = std::source_location::current();
    target_.lock(ranks::lock_mode::exclusive, where);
    target_.begin({.kind = access_kind::get, .origin = {}, .result = origin_of(count), .target = place(0, 1)});
    target_.flush(where);
    ++count[0];
    target_.begin({.kind = access_kind::put, .origin = origin_of(count), .result = {}, .target = place(0, 1)});
    target_.unlock(where);
    ++increments;
  }

  /// The only access of an epoch.
  void increment_once() {
    std::vector<window_number> one(1, 1);
    target_.lock(ranks::lock_mode::exclusive, std::source_location::current());
    target_.begin({.kind = access_kind::accumulate,
                   .origin = origin_of(one),
                   .result = {},
                   .target = place(0, 1),
                   .operation = &window_sum()});
    target_.unlock(std::source_location::current());
    ++increments;
  }
  /// Some puts and at last a get of own numbers.
  void access_under_lock() {
    const std::source_location where = std::source_location::current();
    target_.lock(random_() % 2 ? ranks::lock_mode::shared : ranks::lock_mode::exclusive, where);
    for (std::uint64_t puts = random_() % 3; puts > 0; --puts) put();
    std::vector<window_number> found(length(), -1);
    const bool reads = random_() % 2;
    if (reads) {
      flush();
      target_.begin({.kind = access_kind::get,
                     .origin = {},
                     .result = origin_of(found),
                     .target = place(first_own_, found.size())});
    }
    target_.unlock(where);
    kept_.clear();
    if (reads) CHECK(std::equal(found.begin(), found.end(), own_.begin()));
  }

  std::mt19937_64 random_;
  ranks::window_target& target_;
  const std::size_t first_own_;
  std::vector<window_number> own_;
  std::vector<std::unique_ptr<std::vector<window_number>>> kept_;  // in use by operations
};

/// Rank 0 receives a message from each, and then sends one to each.
void meet_all_ranks(ranks_on_node& on, int rank) {
  ranks::mailbox& own = on.boxes[world_rank{rank}];
  const auto receive_from = [&](int source) { ranks::receive({own, {context_number(0), source, 1}, {}}); };
  if (rank > 0) {
    ranks::send(on.to(rank, 0, 1, {}));
    return receive_from(0);
  }
  for (int other = 1; other < on.node.size(); ++other) receive_from(other);
  for (int other = 1; other < on.node.size(); ++other) ranks::send(on.to(0, other, 1, {}));
}

}  // namespace

TEST_CASE("random accesses between windows of several nodes change what they should") {
  const auto seeds = std::max<std::uint64_t>(6, test::scaled_of_one_thread<std::uint64_t>(10, 300));
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    const int of_job = 2 + static_cast<int>(seed % 4);
    std::vector<std::unique_ptr<window_of_rank>> all;
    for (int rank = 0; rank < of_job; ++rank) all.push_back(std::make_unique<window_of_rank>(of_job));
    std::atomic<window_number> total = 0, increments = 0;
    run_on_nodes({.nodes = 2 + static_cast<std::uint32_t>(seed % 2), .seed = seed}, of_job,
                 [&](ranks_on_node& on, int rank) {
                   reached_windows windows(on, rank, all);
                   meet_all_ranks(on, rank);
                   std::vector<std::unique_ptr<random_accesses>> accesses;
                   for (ranks::window_target* const target : windows.targets)
                     accesses.push_back(std::make_unique<random_accesses>(seed * 100 + accesses.size(), rank, *target));
                   for (int i = 0; i < 40; ++i) accesses[static_cast<std::size_t>(i) % accesses.size()]->perform();
                   for (const auto& of_target : accesses) {
                     of_target->get();
                     total += of_target->total;
                     increments += of_target->increments;
                   }
                   meet_all_ranks(on, rank);
                 });
    window_number found = 0, counted = 0;
    for (const auto& window : all) {
      counted += window->memory[0];
      found +=
          std::accumulate(window->memory.begin() + 1, window->memory.begin() + 1 + added_numbers, window_number{0});
    }
    CHECK(found == total.load());
    CHECK(counted == increments.load());
  }
}
