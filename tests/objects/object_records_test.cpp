// Objects created and destroyed in any order, with and without pooled records.
#include <stretto/object.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(raise_by, (inout<int> x, int by), { x(global_id(0)) += by; })

}  // namespace

TEST_CASE("objects that come and go in any order keep what is theirs, whether records serve again or not") {
  for (const char* recycles : {"1", "0"})
    for (const char* devices : {"none", "sim:2"}) {
      CAPTURE(recycles);
      CAPTURE(devices);
      const test::with_variable option("STRETTO_TEST_RECYCLE", recycles);
      const test::with_variable memory("STRETTO_DEVICE_MEMORY", "64K");  // too small for all: objects are evicted
      runtime rt({.workers = 2, .devices = devices});
      rt.run([] {
        constexpr int n = 256;
        std::mt19937 random(17);
        std::vector<std::pair<object<int>, int>> all;
        for (int step = 0; step < test::scaled(1'500, 50'000); ++step) {
          const std::size_t at = all.empty() ? 0 : random() % all.size();
          if (all.size() < 40 && (all.empty() || random() % 3 == 0)) {
            const int first = static_cast<int>(random() % 1000);
            const std::vector<int> content(n, first);
            all.emplace_back(object<int>(box(0, n), content.data()), first);
          } else if (random() % 3 == 0) {
            CHECK(all[at].first.read().get().view()(n - 1) == all[at].second);
            std::swap(all[at], all.back());
            all.pop_back();  // perhaps while launches use it
          } else {
            const int by = static_cast<int>(random() % 10);
            launch(raise_by, box(0, n), all[at].first, by);
            all[at].second += by;
            if (random() % 8 == 0) std::swap(all[at], all.back()), all.pop_back();
          }
        }
        for (const auto& [o, value] : all) CHECK(o.read().get().view()(0) == value);
      });
    }
}

}  // namespace stretto
