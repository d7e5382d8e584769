#include "device/log_lines.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "device/kernel_text.hpp"
#include "device/kernels_that_devices_refuse.hpp"

namespace stretto::device {
namespace {

TEST_CASE("line numbers of the generated text in a log are mapped to the user's lines") {
  const std::string source =
      "int a;\n#line 18 \"/home/her/kernels.hpp\"\nfirst\nsecond\n#line 7 \"/home/her/more \\\"so\\\".hpp\"\nthird\n";
  const auto told = [&](std::string_view log) { return with_lines_of_user(log, source); };
  CHECK(told("<kernel>:3:5: error: no") == "/home/her/kernels.hpp:18:5: error: no");
  CHECK(told("<kernel>:4:1: error: no\nsecond\n^") == "/home/her/kernels.hpp:19:1: error: no\nsecond\n^");
  CHECK(told("x <kernel>:6: a\n<kernel>:3: b") == "x /home/her/more \\\"so\\\".hpp:7: a\n/home/her/kernels.hpp:18: b");
  CHECK(told("<kernel>:1:5: error: before any") == "<kernel>:1:5: error: before any");
  CHECK(told("<kernel>: no number, <kernel>:x, <kernel>:99999999999999999999999") ==
        "<kernel>: no number, <kernel>:x, <kernel>:99999999999999999999999");
  CHECK(told("") == "");
  CHECK(told("kernels.hpp:18:5: error: as others say it") == "kernels.hpp:18:5: error: as others say it");
}

TEST_CASE("lines of a kernel's text are the user's") {
  const kernel_code& code = test::uses_a_macro.code();
  const std::string source = text_for(code, dialect::opencl).source;
  const auto before = source.substr(0, source.find("STRETTO_TEST_RADIUS"));
  const auto n = std::count(before.begin(), before.end(), '\n') + 1;
  CHECK(with_lines_of_user(fmt::format("<kernel>:{}:1: error", n), source) ==
        fmt::format("{}:{}:1: error", code.file, code.line + 3));
}

}  // namespace
}  // namespace stretto::device
