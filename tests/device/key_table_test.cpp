#include "device/key_table.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <vector>

using namespace stretto::device;

TEST_CASE("a table of keys holds what a map holds, whatever comes and goes") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    INFO(seed);
    std::mt19937_64 random(seed);
    // Few keys for many collisions; numbers of events lie close together, or far apart.
    const std::uint64_t spread = seed % 2 ? 300 : ~std::uint64_t{0};
    key_table<int> table;
    std::map<std::uint64_t, int> model;
    std::vector<std::uint64_t> keys;
    for (int step = 0; step < 5000; ++step) {
      const bool grows = model.size() < (step % 1000 < 500 ? 200u : 10u);
      if (grows) {
        const std::uint64_t k = 1 + random() % spread;
        if (!model.emplace(k, step).second) continue;
        table.insert(k, step);
        keys.push_back(k);
      } else if (!keys.empty()) {
        const std::size_t n = random() % keys.size();
        table.erase(keys[n]);
        model.erase(keys[n]);
        keys[n] = keys.back();
        keys.pop_back();
      }
      CHECK(table.size() == model.size());
      if (step % 50) continue;
      for (const auto& [k, value] : model) {
        const int* const found = table.find(k);
        REQUIRE(found);
        CHECK(*found == value);
      }
      for (int i = 0; i < 20; ++i)
        if (const std::uint64_t k = 1 + random() % spread; !model.contains(k)) CHECK_FALSE(table.find(k));
    }
  }
}

TEST_CASE("erasing what is not there changes nothing") {
  key_table<int> table;
  table.erase(7);
  table.insert(7, 1);
  table.erase(8);
  REQUIRE(table.find(7));
  CHECK(*table.find(7) == 1);
  table.erase(7);
  table.erase(7);
  CHECK(table.size() == 0);
}
