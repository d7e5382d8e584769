#include <doctest/doctest.h>

#include <atomic>
#include <memory>

#include <stretto/platform.hpp>
#include <stretto/stretto.hpp>

#include "campaign.hpp"

using namespace stretto;

// All workers fall asleep at the same moment, and each of them sees that nothing can make progress any more.
TEST_CASE("a runtime ends even if tasks wait for events that are never triggered") {
  for (std::uint32_t workers : {1u, 2u, 4u}) {
    const auto machine = std::make_shared<const platform>(platform::discover().with_workers(workers));
    for (int round = 0; round < test::scaled(200, 20000); ++round) {
      std::atomic<int> ran{0};
      {
        runtime rt({.workers = workers, .machine = machine});
        const attached_thread here(rt);
        const event never = user_event::create();
        event last = never;
        for (int i = 0; i < round % 4; ++i) last = async(after(ignore_failure(last)), [&] { ++ran; });
        async(after(ignore_failure(user_event::create())), [&] { ++ran; });
        async([&, never] {
          ++ran;
          if (round % 2) {
            try {
              wait(never);
            } catch (const error&) {
              ++ran;
            }
          }
        });
      }
      CHECK(ran == 2 + round % 2 + round % 4);
    }
  }
}
