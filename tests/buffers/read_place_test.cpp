// Failing reads of buffers name the right source line.
#include <stretto/buffer.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <source_location>
#include <stdexcept>
#include <string>

#include "thrown_by.hpp"

namespace stretto {
namespace {

TEST_CASE("a read of what failed names the line of the program that read, and none of the library's") {
  runtime rt({.workers = 1});
  rt.run([] {
    buffer<int> x(box(0, 8), {.name = "x"});
    const event written =
        host_task(on_one_node, [](view<int>) { throw std::runtime_error("the disk is full"); }, x.out(all));
    const auto here = std::source_location::current();
    const std::string words = test::thrown_by([&] { (void)x.read(x.elements(), here).get(); });
    CHECK_MESSAGE(
        words.find("task \"elements for the host\", read_place_test.cpp:" + std::to_string(here.line())) != words.npos,
        words);
    CHECK_MESSAGE(words.find("buffer.hpp:") == words.npos, words);
    test::thrown_by([&] { wait(written); });
  });
}

}  // namespace
}  // namespace stretto
