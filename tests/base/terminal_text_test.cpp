// Text from files on its way to a terminal.
#include "base/terminal_text.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace stretto::base {
namespace {

TEST_CASE("text that no terminal obeys stays as it is") {
  for (const char* text : {"", "plain", "two\nlines\tand a tab", "Größe, \xe2\x82\xac, \xf0\x9f\x8e\xb5"})
    CHECK(terminal_text(text) == text);
}

TEST_CASE("control characters, those of C1 and those that turn the direction of writing are written out") {
  CHECK(terminal_text("a\x1b[2Jb") == "a\\u001b[2Jb");
  CHECK(terminal_text("\x7f\r\b") == "\\u007f\\u000d\\u0008");
  CHECK(terminal_text("\xc2\x9b"
                      "31m") == "\\u009b31m");
  CHECK(terminal_text("\xe2\x80\xae"
                      "cod.exe") == "\\u202ecod.exe");
  CHECK(terminal_text("\xe2\x81\xa6") == "\\u2066");
  CHECK(terminal_text(std::string_view("\0", 1)) == "\\u0000");
}

TEST_CASE("bytes that are no UTF-8 become one replacement character each") {
  const std::string replaced = "\xef\xbf\xbd";
  CHECK(terminal_text("\x9b") == replaced);
  CHECK(terminal_text("a\xc3") == "a" + replaced);
  CHECK(terminal_text("\xc0\x9b") == replaced + replaced);                 // longer than it need be
  CHECK(terminal_text("\xed\xa0\x80") == replaced + replaced + replaced);  // half of a pair of UTF-16
  CHECK(terminal_text("\xf8"
                      "b") == replaced + "b");
}

TEST_CASE("JSON says the same afterwards") {
  const nlohmann::json value{{"name",
                              "a\x1b\xc2\x9b\xe2\x80\xae"
                              "b"}};
  const std::string safe = terminal_text(value.dump());
  CHECK(safe.find('\x9b') == std::string::npos);
  CHECK(nlohmann::json::parse(safe) == value);
}

}  // namespace
}  // namespace stretto::base
