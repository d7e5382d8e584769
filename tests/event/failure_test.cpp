#include <doctest/doctest.h>

#include <stretto/error.hpp>

#include "base/node_numbers.hpp"
#include "event/event_world.hpp"

using namespace stretto;
using namespace stretto::testing;

namespace {
failure_ref skip(const failure_ref& because, const std::string& who, const std::source_location& where) {
  return failure_ref::adopt(new failure(*because.get(), who, where));
}
}  // namespace

TEST_CASE("the root of a failure throws its own exception") {
  const auto root = detail::make_failure(trouble("disk full"), "task \"write\"", std::source_location::current());
  CHECK_THROWS_AS(root->raise(), std::runtime_error);
  CHECK(message_of([&] { root->raise(); }) == "disk full");
  CHECK(&root->root() == root.get());
}

TEST_CASE("a chain names nodes of a job within the process by their numbers in the job, not by those of the process") {
  const auto here = std::source_location::current();
  const std::uint16_t first = base::allocate_node_numbers(3).value();
  const auto root =
      failure_ref::adopt(new failure(std::make_exception_ptr(trouble("disk full")), "task \"write\"", here, first + 2));
  const std::string words = message_of([&] { skip(root, "task \"report\"", here)->raise(); });
  CHECK_MESSAGE(words.find("because task \"write\" on N2 failed") != words.npos, words);
  base::release_node_numbers(first, 3);
}

TEST_CASE("skipped work throws the chain and keeps the root exception") {
  const auto here = std::source_location::current();
  const std::string line = line_of(here);
  const auto root = detail::make_failure(trouble("disk full"), "task \"write\"", here);
  const auto middle = skip(root, "task \"close\"", here), top = skip(middle, "task \"report\"", here);
  CHECK(message_of([&] { top->raise(); }) ==
        "error E10: task \"report\" was skipped because task \"write\" failed\n"
        "  skipped     task \"report\", " +
            line +
            "\n"
            "  skipped     task \"close\", " +
            line +
            "\n"
            "  failed      task \"write\", " +
            line +
            "\n"
            "  because     disk full");
  CHECK(message_of([&] { top->raise(&here); }).find("write\", " + line + "\n  waited at   " + line + "\n  because") !=
        std::string::npos);
  try {
    top->raise();
  } catch (const poisoned& p) {
    CHECK(message_of([&] { std::rethrow_exception(p.root()); }) == "disk full");
  }
}

TEST_CASE("a long chain shows both of its ends") {
  const auto here = std::source_location::current();
  const std::string line = line_of(here);
  auto chain = detail::make_failure(std::make_exception_ptr(42), "", here);
  for (int i = 0; i < 20; ++i) chain = skip(chain, "task " + std::to_string(i), here);
  CHECK(message_of([&] { chain->raise(); }) ==
        "error E10: task 19 was skipped because an event failed\n"
        "  skipped     task 19, " +
            line +
            "\n"
            "  skipped     task 18, " +
            line +
            "\n"
            "  skipped     task 17, " +
            line +
            "\n"
            "  skipped     task 16, " +
            line +
            "\n"
            "  skipped     13 more\n"
            "  skipped     task 2, " +
            line +
            "\n"
            "  skipped     task 1, " +
            line +
            "\n"
            "  skipped     task 0, " +
            line +
            "\n"
            "  failed      an event, " +
            line +
            "\n"
            "  because     an exception that is not a std::exception");
}

TEST_CASE("a chain of a million links is counted and freed without deep recursion") {
  const auto here = std::source_location::current();
  auto chain = detail::make_failure(trouble("root"), "task", here);
  for (int i = 0; i < 1'000'000; ++i) chain = skip(chain, "t", here);
  CHECK(message_of([&] { chain->raise(); }).find("999993 more") != std::string::npos);
}
