// Many short messages in a row: their replies are batched, and none waits for a handler that waits for it.
#include <stretto/event.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/mobile.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "dist/simulated.hpp"
#include "mobile/random_migration.hpp"

namespace stretto {
namespace {

using test::migrates_at_random;
using test::on_all_nodes;

struct counter {
  long count = 0;
  void add(long n) { count += n; }
  void add_all(const std::vector<long>& all) {
    for (const long n : all) count += n;
  }
  long shown() const { return count; }
  void wait_for(event e) { wait(e); }
  void look_for(int what);

  template <class Archive>
  friend void fields(Archive& a, archived<counter, Archive>& x) {
    a(x.count);
  }
};

constexpr long messages = 3000;
std::atomic<int> seen{0};

void counter::look_for(int what) {
  while (seen != what) std::this_thread::yield();
}

TEST_CASE("replies of a flood arrive, whichever handler runs after it") {
  for (const std::uint32_t workers : {1u, 2u})
    on_all_nodes({.nodes = 2, .seed = workers}, workers, [](runtime&) {
      if (this_node() != 0) return;
      const auto m = make_mobile<counter>(at_node(1));
      for (int round = 1; round <= 3; ++round) {
        std::vector<future<void>> all;
        for (long i = 0; i < messages; ++i) all.push_back(send(m, call<&counter::add>(1L)));
        const auto over = user_event::create();
        const auto waits = send(m, call<&counter::wait_for>(event(over)));
        for (auto& f : all) f.get();
        over.trigger();
        waits.get();
        all.clear();
        CHECK(send(m, call<&counter::shown>()).get() == messages * (migrates_at_random() ? round : 2 * round - 1));
        if (migrates_at_random()) continue;  // this worker might be the one of that object
        // The same with a handler that keeps its worker, which does not poll then.
        for (long i = 0; i < messages; ++i) all.push_back(send(m, call<&counter::add>(1L)));
        const auto looks = send(m, call<&counter::look_for>(round));
        for (auto& f : all) f.get();
        seen = round;
        looks.get();
        CHECK(send(m, call<&counter::shown>()).get() == 2 * round * messages);
      }
      seen = 0;
    });
}

TEST_CASE("a finish over floods in both directions, of small and large messages, ends with all counted") {
  constexpr long bytes[] = {1, 7, 8, 9, 20, 2000};  // eight messages of each size: small arguments are stored inline
  on_all_nodes({.nodes = 3, .seed = 4}, 2, [&](runtime&) {
    std::vector<mobile<counter>> all;
    for (std::uint32_t n = 0; n < job_nodes(); ++n) all.push_back(make_mobile<counter>(at_node(n)));
    long sent = 0;
    finish([&] {
      for (long i = 0; i < messages / (migrates_at_random() ? 60 : 10); ++i)
        for (const long n : bytes) {
          for (const auto& m : all) send(m, call<&counter::add_all>(std::vector<long>(static_cast<std::size_t>(n), i)));
          sent += n * i;
        }
    });
    for (const auto& m : all) CHECK(send(m, call<&counter::shown>()).get() == sent);
  });
}

}  // namespace
}  // namespace stretto
