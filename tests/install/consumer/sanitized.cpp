// Data that moves between stacks and threads, and that the library orders: a sanitizer of the program's own finds
// nothing wrong with it. All data is plain, nothing of it atomic.
#include <array>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <stretto/barrier.hpp>
#include <stretto/completion_queue.hpp>
#include <stretto/coroutine.hpp>
#include <stretto/reservation.hpp>
#include <stretto/stretto.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

STRETTO_KERNEL(add_one, (inout<float> u), { u(global_id(0)) += 1.f; })
STRETTO_KERNEL(add, (inout<float> u, float what), { u(global_id(0)) += what; })

int fibonacci(int n) {
  if (n < 2) return n;
  auto a = stretto::async([n] { return fibonacci(n - 1); });
  const int b = fibonacci(n - 2);
  return a.get() + b;
}

/// Throws after it has been suspended, perhaps on another thread, with objects on its stack to destroy.
std::size_t caught_after_yields(int tasks) {
  std::size_t caught = 0;
  for (int i = 0; i < tasks; ++i) try {
      stretto::async([i] {
        const std::string name(100, static_cast<char>('a' + i % 26));
        stretto::yield();
        throw std::runtime_error(name);
      }).get();
    } catch (const std::runtime_error& e) {
      caught += std::string(e.what()).size() == 100;
    }
  return caught;
}

/// Each task suspends until the one before it has ended.
int chained(int tasks) {
  std::vector<stretto::user_event> steps(static_cast<std::size_t>(tasks) + 1);
  for (auto& e : steps) e = stretto::user_event::create();
  std::vector<int> seen;
  stretto::finish([&] {
    for (std::size_t i = 0; i + 1 < steps.size(); ++i)
      stretto::async([&, i] {
        stretto::wait(steps[i]);
        seen.push_back(static_cast<int>(i));
        steps[i + 1].trigger();
      });
    steps[0].trigger();
  });
  return std::accumulate(seen.begin(), seen.end(), 0);
}

int promised() {
  stretto::promise<std::vector<int>> p;
  auto f = p.get_future();
  auto sum = stretto::async([f] { return std::accumulate(f.get().begin(), f.get().end(), 0); });
  stretto::async([p = std::move(p)]() mutable { p.set(std::vector<int>(50, 2)); });
  return sum.get();
}

/// A merge of many, each of which has written what the last reads; the event is triggered by another task.
int merged() {
  std::array<int, 40> values{};
  std::array<stretto::user_event, 40> written;
  std::vector<stretto::event> all;
  for (auto& e : written) all.push_back(e = stretto::user_event::create());
  for (std::size_t i = 0; i < values.size(); ++i)
    stretto::async([&, i] {
      values[i] = static_cast<int>(i);
      written[i].trigger();
    });
  const auto gate = stretto::user_event::create();
  gate.trigger(stretto::merge(all));
  auto pair = stretto::merge(all[0], all[39]);
  auto both = stretto::async(stretto::after(pair), [&] { return values[0] + values[39]; });
  auto sum = stretto::async(stretto::after(gate), [&] { return std::accumulate(values.begin(), values.end(), 0); });
  return sum.get() + both.get();
}

/// Many preconditions that end on different threads.
int joined() {
  int total = 0;
  for (int round = 0; round < 50; ++round) {
    auto a = std::make_unique<int>(0), b = std::make_unique<int>(0), c = std::make_unique<int>(0);
    auto first = stretto::async([&] { *a = 1; });
    auto second = stretto::async([&] { *b = 2; });
    auto third = stretto::async(stretto::after(first), [&] { *c = *a + 2; });
    stretto::async(stretto::after(first, second, third), [&] { total += *a + *b + *c; }).get();
  }
  return total;
}

int reserved() {
  const auto use = stretto::reservation::create();
  int count = 0, seen = 0;
  stretto::finish([&] {
    for (int i = 0; i < 200; ++i) use.release(stretto::async(stretto::after(use.acquire()), [&] { ++count; }));
    for (int i = 0; i < 20; ++i)
      stretto::async([&] {
        while (!use.try_acquire()) stretto::yield();
        ++count;
        use.release();
      });
    for (int i = 0; i < 20; ++i)
      use.release(stretto::async(stretto::after(use.acquire(stretto::shared)), [&] { (void)(count + 1); }));
  });
  stretto::wait(use.acquire());
  seen = count;
  use.release();
  use.destroy();
  return seen;
}

int in_phases() {
  constexpr int members = 4, phases = 5;
  const auto first = stretto::barrier::create(members);
  std::array<int, members> values{};
  int sum = 0;
  stretto::finish([&] {
    for (int m = 0; m < members; ++m)
      stretto::async([&, m] {
        auto phase = first;
        for (int p = 0; p < phases; ++p) {
          values[m] += 1;
          phase.arrive();
          stretto::wait(phase);
          phase = phase.advance();
          if (m == 0) sum += std::accumulate(values.begin(), values.end(), 0);
          phase.arrive();
          stretto::wait(phase);
          phase = phase.advance();
        }
      });
  });
  first.destroy();
  return sum;
}

int queued() {
  const auto ended = stretto::completion_queue::create();
  std::array<int, 30> values{};
  for (std::size_t i = 0; i < values.size(); ++i) ended.add(stretto::async([&values, i] { values[i] = 1; }));
  int sum = 0;
  for (std::size_t left = values.size(); left;) {
    stretto::wait(ended.nonempty());
    left -= ended.pop(values.size()).size();
  }
  for (const int v : values) sum += v;
  return sum;
}

int looped() {
  std::vector<int> values(1000);
  stretto::finish([&] {
    stretto::forasync(stretto::box(0, 1000), [&](stretto::coordinate i) { values[static_cast<std::size_t>(i)] = 1; });
  });
  return std::accumulate(values.begin(), values.end(), 0);
}

stretto::future<int> resumed(std::vector<int>& values) {
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
    sum += co_await stretto::async([&values, i] {
      values.push_back(i);
      return i;
    });
    sum += static_cast<int>(values.size()) - i - 1;
  }
  co_return sum;
}

/// On the host, whose threads compute the parts; read by a task, and again by the program.
float computed() {
  stretto::buffer<float> b(stretto::box(0, 4096), [](stretto::coordinate) { return 1.f; });
  for (int i = 0; i < 10; ++i) stretto::launch(add_one, stretto::box(0, 4096), b(stretto::one_to_one));
  const auto from = b.read().get();
  return from.view()(0) + from.view()(4095);
}

/// On the host and on simulated devices; values are kept in memory that serves one launch after the other.
int computed_on_objects() {
  for (int round = 0; round < 20; ++round) {
    const std::vector<float> zeros(256);
    stretto::object<float> o(stretto::box(0, 256), zeros.data());
    for (int i = 0; i < 10; ++i) stretto::launch(add, stretto::box(0, 256), o, 1.f);
    if (o.read().get().view()(255) != 10.f) return 0;
  }
  return 1;
}

void expect_sums() {
  std::vector<int> values;
  std::printf("%d\n", fibonacci(15));
  std::printf("%zu\n", caught_after_yields(1000));
  std::printf("%d\n", chained(100));
  std::printf("%d\n", promised());
  std::printf("%d %d %d %d ", merged(), joined(), reserved(), in_phases());
  std::printf("%d %d %d %g\n", queued(), looped(), resumed(values).get(), static_cast<double>(computed()));
}

}  // namespace

int main() {
  std::vector<int> of_attached;
  std::optional<stretto::runtime> rt(stretto::runtime_options{.workers = 3, .devices = "sim:2"});
  rt->run(expect_sums);
  rt->run([] { std::printf("%d\n", computed_on_objects()); });
  int before = 0;
  rt->run([&] { stretto::async([&] { ++before; }); });
  rt->run([&] { stretto::async([&] { ++before; }); });
  std::optional<std::thread> attached(std::in_place, [&] {
    const stretto::attached_thread here(*rt);
    for (int i = 0; i < 100; ++i) {
      int written = 0;
      stretto::async([&] { of_attached.push_back(written = i); }).get();
      if (written != i) return;
    }
  });
  attached->join();
  rt.reset();
  std::printf("%d %zu\n", before, of_attached.size());
}
