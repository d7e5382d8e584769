#include "diagnose/blocked_workers.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "diagnose/blocked_rank_watch.hpp"

using stretto::diagnose::blocked_worker;
using stretto::diagnose::blocked_workers;
using stretto::diagnose::worker_sample;

namespace {

const int task = 0, other_task = 0;

worker_sample asleep() {
  return {.worker = 2, .task = &task, .progress = 7, .is_asleep = true, .used_ns = 50, .ready = 3};
}

/// The time for which worker 2 is found to block after these samples, one every 100 ns; 0: it does not.
std::int64_t blocked_after(const std::vector<worker_sample>& samples) {
  blocked_workers all;
  std::int64_t now = 1000, found = 0;
  for (const auto& one : samples) {
    const auto blocked = all.observe({&one, 1}, now += 100);
    found = blocked.empty() ? 0 : blocked.front().blocked_ns;
  }
  return found;
}

std::vector<worker_sample> rows_with(void (*change)(worker_sample&)) {
  std::vector<worker_sample> samples(4, asleep());
  change(samples[2]);
  return samples;
}

}  // namespace

TEST_CASE("a worker blocks as long as its thread sleeps in one task while others are ready") {
  CHECK(blocked_after({asleep()}) == 0);
  CHECK(blocked_after({asleep(), asleep()}) == 100);
  CHECK(blocked_after({asleep(), asleep(), asleep()}) == 200);
  blocked_workers all;
  const worker_sample s = asleep();
  all.observe({&s, 1}, 0);
  CHECK(all.observe({&s, 1}, 5) == std::vector<blocked_worker>{{2, &task, 5, 3}});
}

TEST_CASE("a worker that runs, reaches the scheduler or begins another task does not block") {
  CHECK(blocked_after(rows_with([](worker_sample&) {})) == 300);
  CHECK(blocked_after(rows_with([](worker_sample& s) { s.is_asleep = false; })) == 0);
  CHECK(blocked_after(rows_with([](worker_sample& s) { s.progress = 6; })) == 0);
  CHECK(blocked_after(rows_with([](worker_sample& s) { s.task = &other_task; })) == 0);
  CHECK(blocked_after(rows_with([](worker_sample& s) { s.task = nullptr; })) == 0);
}

TEST_CASE("a worker for which no task waits does not block, and one whose tasks others have run still blocks") {
  std::vector<worker_sample> samples(3, asleep());
  samples[2].ready = 0;
  CHECK(blocked_after(samples) == 200);
  samples[0].ready = samples[1].ready = 0;
  CHECK(blocked_after(samples) == 0);
}

TEST_CASE("a task that naps in a loop blocks its worker, and one that computes between naps does not") {
  std::vector<worker_sample> naps(5, asleep()), computes(5, asleep());
  for (std::size_t i = 0; i < 5; ++i) naps[i].used_ns = 50 + 10 * i, computes[i].used_ns = 50 + 11 * i;
  CHECK(blocked_after(naps) == 400);
  CHECK(blocked_after(computes) == 0);
}

TEST_CASE("a worker that is not sampled any more starts anew") {
  blocked_workers all;
  const worker_sample s = asleep();
  all.observe({&s, 1}, 0);
  all.observe({}, 100);
  CHECK(all.observe({&s, 1}, 200).empty());
  CHECK(all.observe({&s, 1}, 300).front().blocked_ns == 100);
}

TEST_CASE("the warning names the rank, the system call and how many wait") {
  const stretto::ranks::blocked_rank rank{stretto::ranks::world_rank{4}, "read", nullptr};
  const std::string text = stretto::diagnose::blocked_rank_report(rank, {2, &task, 1'250'000'000, 3}).what();
  CHECK(text.find("R19: rank 4 blocks its worker in read\n") != std::string::npos);
  CHECK(text.find("  for         1.2 s so far\n") != std::string::npos);
  CHECK(text.find("  waiting     3 ranks or tasks on worker 2, ready to run\n") != std::string::npos);
}
