#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "trace/json_text.hpp"

namespace {

std::string escaped(std::string_view bytes) {
  std::string out;
  stretto::trace::append_json(out, bytes);
  return out;
}
std::string read_back(std::string_view bytes) {
  return nlohmann::json::parse("\"" + escaped(bytes) + "\"").get<std::string>();
}

}  // namespace

TEST_CASE("text that needs no escaping stays as it is") {
  CHECK(escaped("tile (3, 4) of \xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xbb") ==
        "tile (3, 4) of \xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xbb");
}

TEST_CASE("quotes, backslashes and control characters come back as they were") {
  const std::string awkward("a\"b\\c\nd\te\x01\x7f\0f", 13);
  CHECK(read_back(awkward) == awkward);
}

TEST_CASE("bytes that are not UTF-8 become replacement characters") {
  const std::string r = "\xef\xbf\xbd";
  CHECK(escaped("a\xff"
                "b") == "a" + r + "b");
  CHECK(escaped("\x80") == r);
  CHECK(escaped("\xc3") == r);                          // cut off
  CHECK(escaped("\xc0\xaf") == r + r);                  // too long a spelling of '/'
  CHECK(escaped("\xe0\x9f\xbf") == r + r + r);          // likewise
  CHECK(escaped("\xf0\x8f\xbf\xbf") == r + r + r + r);  // likewise
  CHECK(escaped("\xed\xa0\x80") == r + r + r);          // half a surrogate pair
  CHECK(escaped("\xf4\x90\x80\x80") == r + r + r + r);  // beyond the last character
  CHECK(escaped("\xe2\x82") == r + r);
}

TEST_CASE("any bytes at all give valid JSON, and ASCII survives") {
  const bool ok = rc::check([](const std::string& bytes) {
    const std::string back = read_back(bytes);  // throws on invalid JSON or UTF-8
    const auto ascii = [](std::string s) {
      std::erase_if(s, [](unsigned char c) { return c >= 0x80; });
      return s;
    };
    RC_ASSERT(ascii(back) == ascii(bytes));
  });
  CHECK(ok);
}
