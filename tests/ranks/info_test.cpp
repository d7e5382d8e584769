#include <doctest/doctest.h>

#include <string>

#include "ranks/communicators/info.hpp"
#include "ranks/thrown_class.hpp"

using namespace stretto;
using test::thrown_class;

TEST_CASE("an info keeps its keys in the order in which they were set") {
  ranks::info hints;
  hints.set("b", "1");
  hints.set("a", "2");
  hints.set("c", "");
  hints.set("b", "3");
  REQUIRE(hints.size() == 3);
  CHECK(hints.key(0) == "b");
  CHECK(hints.key(1) == "a");
  CHECK(hints.find("b") == "3");
  CHECK(hints.find("c") == "");
  CHECK(!hints.find("d"));
  ranks::info copy = hints;
  CHECK(copy == hints);
  copy.remove("b");
  CHECK(copy.key(0) == "a");
  CHECK(hints.size() == 3);
}

TEST_CASE("keys and values have the lengths that MPI allows") {
  using enum ranks::error_class;
  ranks::info hints;
  const auto set = [&](std::size_t key, std::size_t value) {
    return thrown_class([&] { hints.set(std::string(key, 'k'), std::string(value, 'v')); });
  };
  CHECK(set(255, 1023) == success);
  CHECK(set(256, 1) == info_key);
  CHECK(set(0, 1) == info_key);
  CHECK(set(1, 1024) == info_value);
  CHECK(thrown_class([&] { hints.find(std::string(256, 'k')); }) == info_key);
  CHECK(thrown_class([&] { hints.remove("absent"); }) == info_nokey);
  CHECK(thrown_class([&] { hints.key(1); }) == argument);
  CHECK(thrown_class([&] { hints.key(-1); }) == argument);
}

TEST_CASE("the environment names how the program was started") {
  ranks::program_start start;
  start.command = "./heat";
  start.arguments = {"-n", "4"};
  start.ranks = 8;
  start.working_folder = std::string(2000, 'x');
  const ranks::info environment = environment_info(start);
  CHECK(environment.find("command") == "./heat");
  CHECK(environment.find("argv") == "-n 4");
  CHECK(environment.find("maxprocs") == "8");
  CHECK(environment.find("wdir")->size() == 1023);
  CHECK(!environment.find("host"));
  CHECK(ranks::environment_info({}).size() == 0);
}
