#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "ranks/communicators/collective_tags.hpp"
#include "ranks/random_job.hpp"
#include "ranks/random_types.hpp"

using namespace stretto;
using test::collective_cases, test::index, test::integers, test::model_job, test::model_network, test::placed_data,
    test::random_job;

namespace {

const ranks::datatype& integer() { return *ranks::predefined_type(0x209); }
const ranks::reduction_operation& sum_operation() { return *ranks::predefined_operation(0x21); }

/// Completes transfers on a thread of its own, which then advances the run.
class threaded_port : public ranks::transfer_port {
 public:
  threaded_port() : thread_([this] { complete_all(); }) {}
  ~threaded_port() override {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void post_send(const ranks::schedule_transfer& transfer) override { add(transfer); }
  void post_receive(const ranks::schedule_transfer& transfer) override { add(transfer); }
  void wait_for_end(const ranks::schedule_run& run) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return run.has_ended(); });
  }

 private:
  void add(const ranks::schedule_transfer& transfer) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(transfer);
    }
    changed_.notify_all();
  }
  void complete_all() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return is_over_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const ranks::schedule_transfer transfer = waiting_.back();
      waiting_.pop_back();
      lock.unlock();
      if (transfer.run->complete(transfer.number)) transfer.run->advance();
      lock.lock();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ranks::schedule_transfer> waiting_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace

TEST_CASE("parts of data are copied as the whole is") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    test::random_types random(seed);
    const test::modelled_type made = random.next();
    const std::int64_t count = random.number(0, 5);
    test::element_memory memory(made.model, count);
    memory.fill(static_cast<unsigned>(seed));
    std::vector<std::byte> expected;
    for (const std::int64_t displacement : made.model.bytes(count)) expected.push_back(memory.at(displacement));
    const ranks::data_part whole(memory.origin(), count, *made.type);
    REQUIRE(whole.bytes() == std::ssize(expected));
    std::vector<std::byte> copied(expected.size());
    const ranks::data_part target(copied.data(), std::ssize(copied));
    for (std::int64_t position = 0; position < whole.bytes();) {
      const std::int64_t bytes = random.number(1, whole.bytes());
      // A part of a part, which the end cuts off.
      const ranks::data_part part = whole.part(position / 2, whole.bytes()).part(position - position / 2, bytes);
      REQUIRE(copy_part(target.part(position, part.bytes()), part) == part.bytes());
      position += part.bytes();
    }
    REQUIRE(copied == expected);
    REQUIRE(whole.part(whole.bytes() + 1, 5).bytes() == 0);
  }
}

TEST_CASE("temporaries are apart, aligned, and fit elements with negative bounds") {
  ranks::schedule steps;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::pair<std::byte*, std::int64_t>> all;
    for (std::int64_t bytes = 0; bytes < 40'000; bytes += 1 + bytes / 2) {
      std::byte* made = steps.temporary(bytes);
      REQUIRE(reinterpret_cast<std::uintptr_t>(made) % 64 == 0);
      for (const auto& [other, length] : all) REQUIRE((made >= other + length || made + bytes <= other));
      all.emplace_back(made, bytes);
    }
    const ranks::datatype_ref backward = ranks::make_vector(3, 1, -4, integer());
    backward->commit();
    std::byte* origin = steps.temporary(std::int64_t{2}, *backward);
    integers values = {1, 2, 3, 4, 5, 6};
    copy_part(ranks::data_part(origin, 2, *backward), ranks::data_part(values.data(), 24));
    integers copied(6);
    copy_part(ranks::data_part(copied.data(), 24), ranks::data_part(origin, 2, *backward));
    REQUIRE(copied == values);
    steps.clear();
  }
}

TEST_CASE("several collectives of one communicator run at once and do not mix") {
  for (std::uint64_t seed = 0; seed < collective_cases() / 4; ++seed) {
    CAPTURE(seed);
    random_job all(seed);
    const int collectives = static_cast<int>(all.random.number(2, 6));
    struct one_collective {
      std::vector<std::unique_ptr<ranks::schedule>> schedules;
      std::vector<std::unique_ptr<ranks::schedule_run>> runs;
      std::vector<int> values;
    };
    std::vector<one_collective> started(index(collectives));
    std::vector<int> kinds;
    for (int k = 0; k < collectives; ++k) kinds.push_back(static_cast<int>(all.random.number(0, 2)));
    std::vector<ranks::collective_tags> tags(index(all.size));
    for (int i = 0; i < all.size; ++i) {
      for (int k = 0; k < collectives; ++k) {
        one_collective& one = started[index(k)];
        one.values.reserve(index(all.size));
        one.values.push_back(i + 100 * k);
        one.schedules.push_back(std::make_unique<ranks::schedule>());
        one.runs.push_back(std::make_unique<ranks::schedule_run>(all.job.network.port_of(i)));
        int* value = &one.values.back();
        const ranks::reduction_buffers buffers{ranks::in_place_buffer(), value, 1, &integer(), &sum_operation()};
        ranks::schedule& steps = *one.schedules.back();
        if (kinds[index(k)] == 0) build_broadcast(steps, all.group(i), {value, 1, &integer()}, all.root);
        else if (kinds[index(k)] == 1) build_allreduce(steps, all.group(i), buffers);
        else build_scan(steps, all.group(i), buffers);
        one.runs.back()->start(steps, tags[index(i)].next());
      }
    }
    all.job.network.run();
    for (int k = 0; k < collectives; ++k) {
      int total = 0;
      for (int i = 0; i < all.size; ++i) {
        total += i + 100 * k;
        const int sum_of_all = all.size * (all.size - 1) / 2 + 100 * k * all.size;
        const int expected = kinds[index(k)] == 0 ? all.root + 100 * k : kinds[index(k)] == 1 ? sum_of_all : total;
        REQUIRE(started[index(k)].runs[index(i)]->has_ended());
        REQUIRE(started[index(k)].values[index(i)] == expected);
      }
    }
  }
}

TEST_CASE("a schedule runs again, also while other ranks are in the round before") {
  for (std::uint64_t seed = 0; seed < collective_cases() / 4; ++seed) {
    CAPTURE(seed);
    random_job all(seed);
    constexpr int rounds = 4;
    std::vector<int> values(index(all.size)), begun(index(all.size));
    for (int i = 0; i < all.size; ++i) {
      build_broadcast(all.job[i], all.group(i), {&values[index(i)], 1, &integer()}, all.root);
    }
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (int i = 0; i < all.size; ++i) {
        ranks::schedule_run& run = *all.job.runs[index(i)];
        if (!run.has_ended() || begun[index(i)] == rounds) continue;
        if (i == all.root) values[index(i)] = 7 + begun[index(i)];
        else if (begun[index(i)] > 0) REQUIRE(values[index(i)] == 6 + begun[index(i)]);
        ++begun[index(i)];
        run.start(all.job[i], 0);
      }
      all.job.network.run_some_events(all.random.number(0, 10));
      for (int i = 0; i < all.size; ++i) {
        goes_on = goes_on || begun[index(i)] < rounds || !all.job.runs[index(i)]->has_ended();
      }
    }
    all.job.network.run();
    for (const int value : values) REQUIRE(value == 6 + rounds);
  }
}

TEST_CASE("a transfer that fails does not keep other ranks waiting") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    model_job job(seed, 5);
    std::vector<int> values(5, 1);
    for (int i = 0; i < 5; ++i) {
      build_allreduce(job[i], {i, 5}, {ranks::in_place_buffer(), &values[index(i)], 1, &integer(), &sum_operation()});
    }
    job.network.fail_next(ranks::error_class::truncate, 1);
    job.run();
    int failed = 0;
    for (const auto& run : job.runs) {
      if (run->error() == ranks::error_class::success) continue;
      CHECK(run->error() == ranks::error_class::truncate);
      ++failed;
    }
    CHECK(failed == 1);
  }
}

TEST_CASE("another thread completes transfers while a run advances") {
  threaded_port port;
  ranks::schedule steps;
  std::vector<int> values(64);
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 60; ++i) {
      const ranks::transfer_number number = steps.receive({i}, ranks::data_part(&values[index(i)], 4));
      steps.send({i}, ranks::data_part(&values[index(i)], 4));
      if (i % 3 == 0) steps.wait(number);
      if (i % 7 == 0) steps.wait_all();
    }
  }
  for (int repetition = 0; repetition < 20; ++repetition) {
    ranks::schedule_run run(port);
    run.start(steps, 0);
    port.wait_for_end(run);
    CHECK(run.error() == ranks::error_class::success);
  }
}

TEST_CASE("trees replace exchanges between all ranks where ranks outnumber workers") {
  const auto messages_with = [](int concurrency) {
    model_job job(1, 16);
    std::vector<int> values(16, 1);
    for (int i = 0; i < 16; ++i) {
      build_allreduce(job[i], {i, 16, -1, concurrency},
                      {ranks::in_place_buffer(), &values[index(i)], 1, &integer(), &sum_operation()});
    }
    job.run();
    for (const int value : values) CHECK(value == 16);
    return job.network.messages();
  };
  CHECK(messages_with(16) == 64);
  CHECK(messages_with(2) == 30);
}

TEST_CASE("ranks of one node combine before messages go between nodes") {
  model_job job(1, 8);
  const std::vector<int> nodes = {0, 0, 0, 0, 1, 1, 1, 1};
  std::vector<int> values(8, 1);
  int between_nodes = 0;
  for (int i = 0; i < 8; ++i) {
    build_allreduce(job[i], {i, 8, -1, 8, nodes},
                    {ranks::in_place_buffer(), &values[index(i)], 1, &integer(), &sum_operation()});
    for (const ranks::schedule_step& step : job[i].steps()) {
      const auto* transfer = std::get_if<ranks::transfer_step>(&step);
      if (!transfer || transfer->which == ranks::transfer_step::direction::receive) continue;
      if (nodes[index(transfer->peer.rank)] != nodes[index(i)]) ++between_nodes;
    }
  }
  job.run();
  for (const int value : values) CHECK(value == 8);
  CHECK(between_nodes == 2);
}
