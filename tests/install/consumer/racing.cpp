// Accesses that nothing orders: a sanitizer that watches the program alone finds them.
//
//     racing tasks      two tasks write the same
//     racing events     a task reads what is written after the trigger that it has waited for
//     racing loops      a task writes what a loop of another reads
#include <atomic>
#include <cstdio>
#include <stretto/stretto.hpp>
#include <string_view>
#include <vector>

namespace {

int shared_by_all = 0;

/// Both have begun before either goes on, so they are on different workers.
template <class First, class Second>
void at_the_same_time(First first, Second second) {
  const auto one = stretto::user_event::create(), other = stretto::user_event::create();
  auto a = stretto::async([&] {
    one.trigger();
    while (!other.has_triggered()) {
    }
    first();
  });
  auto b = stretto::async([&] {
    other.trigger();
    while (!one.has_triggered()) {
    }
    second();
  });
  a.get();
  b.get();
}

}  // namespace

int main(int, char** v) {
  const std::string_view way = v[1];
  stretto::runtime rt({.workers = 3});
  rt.run([way] {
    if (way == "tasks") {
      at_the_same_time([] { ++shared_by_all; }, [] { ++shared_by_all; });
    } else if (way == "events") {
      const auto e = stretto::user_event::create();
      at_the_same_time(
          [e] {
            e.trigger();
            shared_by_all = 1;
          },
          [e] {
            while (!e.has_triggered()) {
            }
            std::printf("%s", shared_by_all == 2 ? "2" : "");
          });
    } else {
      std::vector<int> values(1000);
      // The writer keeps its worker until the loop has ended: a worker that wrote and then ran a part of the loop would
      // have ordered the two. The flag is relaxed, and orders nothing.
      std::atomic<bool> loop_has_ended = false;
      at_the_same_time(
          [&] {
            for (int& v : values) v = 1;
            while (!loop_has_ended.load(std::memory_order_relaxed)) {
            }
          },
          [&] {
            stretto::finish([&] {
              stretto::forasync(stretto::box(0, 1000), [&](stretto::coordinate i) {
                if (values[static_cast<std::size_t>(i)] == 2) std::puts("2");
              });
            });
            loop_has_ended.store(true, std::memory_order_relaxed);
          });
    }
  });
}
