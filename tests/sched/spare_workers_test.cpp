#include "sched/spare_workers.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <vector>

#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

using namespace stretto;

namespace {

struct pipe_of_test {
  pipe_of_test() { REQUIRE(pipe(ends) == 0); }
  pipe_of_test(const pipe_of_test&) = delete;
  ~pipe_of_test() {
    for (const int end : ends) close(end);
  }
  void write_byte() const { CHECK(write(ends[1], "", 1) == 1); }
  void read_byte() const {
    char byte = 0;
    CHECK(read(ends[0], &byte, 1) == 1);
  }
  int ends[2] = {};
};

}  // namespace

TEST_CASE("a spare worker runs what is ready while the only worker blocks in a system call") {
  runtime rt({.workers = 1, .spare_workers = 1});
  const pipe_of_test first, second;
  rt.run([&] {
    async([&] {
      async([&] { first.write_byte(); });
      first.read_byte();
      async([&] { second.write_byte(); });
      second.read_byte();
    });
  });
}

TEST_CASE("a spare worker whose task blocks is replaced by another one") {
  runtime rt({.workers = 1, .spare_workers = 2});
  const pipe_of_test first, second;
  rt.run([&] {
    async([&] {
      async([&] {
        async([&] {
          first.write_byte();
          second.write_byte();
        });
        second.read_byte();
      });
      first.read_byte();
    });
  });
}

TEST_CASE("a worker that comes back after a while gets the tasks that are left") {
  runtime rt({.workers = 1, .spare_workers = 1});
  std::atomic<int> ended{0};
  rt.run([&] {
    for (int i = 0; i < 20; ++i)
      async([&ended, i] {
        usleep(i % 3 == 0 ? 40'000 : 1'000);
        yield();
        async([&ended] { ++ended; }).get();
      });
  });
  CHECK(ended == 20);
}

TEST_CASE("an unused spare worker leaves the proof of a hang to others, and no task runs there") {
  runtime rt({.workers = 1, .spare_workers = 3});
  std::vector<std::uint32_t> workers;
  rt.run([&] { workers.push_back(async([] { return this_worker(); }).get()); });
  CHECK(workers == std::vector<std::uint32_t>{0});
  CHECK(rt.workers() == 1);
}
