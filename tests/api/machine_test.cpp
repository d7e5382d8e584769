// machine_test.cpp - a task knows the machine of its runtime.
#include <doctest/doctest.h>

#include <memory>
#include <stretto/stretto.hpp>
#include <string>

#include "../thrown_by.hpp"

using namespace stretto;

TEST_CASE("a task finds the machine that its runtime was given, whichever others there are") {
  const auto large = std::make_shared<const platform>(platform::synthetic("pack:2 numa:1 core:4 pu:1", 3));
  runtime one({.machine = large}), other({.workers = 1});
  one.run([&] {
    CHECK(&this_machine() == &one.machine());
    CHECK(async([] { return this_machine().worker_count(); }).get() == 3);
    CHECK(this_machine().name(this_machine().home(2)) == large->name(large->home(2)));
  });
  other.run([&] { CHECK(&this_machine() == &other.machine()); });
  CHECK(test::thrown_by([] { this_machine(); }).starts_with("error B20"));
}
