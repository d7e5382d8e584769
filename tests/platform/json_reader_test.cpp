#include "platform/json_reader.hpp"

#include <doctest/doctest.h>

#include "base/utf8.hpp"
#include "platform/error_message.hpp"

using namespace stretto::places;
using stretto::test::message_of;

namespace {

json_value read(std::string_view text) { return read_json({text, "x.json"}); }

std::string json_fault(std::string_view text) {
  return message_of([&] { read(text); });
}

}  // namespace

TEST_CASE("every value and key knows where it stands") {
  const std::string text = "{\"a\": [1, true,\n  \"x\"], \"b\": null}";
  const auto v = read(text);
  const source_text source{text, "x.json"};
  REQUIRE(v.members.size() == 2);
  CHECK(source.at(v.members[0].offset) == "x.json:1:2");
  CHECK(source.at(v.members[0].value.items[1].offset) == "x.json:1:11");
  CHECK(source.at(v.members[0].value.items[2].offset) == "x.json:2:3");
  CHECK(v.members[0].value.items[2].text == "x");
  CHECK(v.members[1].value.is == json_value::type::null);
}

TEST_CASE("columns count characters, not bytes") {
  CHECK(json_fault("[\"\xC3\xA4\xE2\x82\xAC\" x]") ==
        "error P01: expected , or ] in a list, found 'x'\n  file        x.json:1:7");
}

TEST_CASE("numbers are read whole, and only numbers are") {
  CHECK(read("-12.5e2").number == -1250);
  CHECK(read("0").number == 0);
  CHECK(read("18446744073709551615").text == "18446744073709551615");
  CHECK(json_fault("01") == "error P01: a number may not begin with 0\n  file        x.json:1:1");
  CHECK(json_fault("1.") == "error P01: expected a digit, found the end of the text\n  file        x.json:1:3");
  CHECK(json_fault("-x") == "error P01: expected a digit, found 'x'\n  file        x.json:1:2");
  CHECK(json_fault("1e999") == "error P01: this number is out of range\n  file        x.json:1:1");
  CHECK(json_fault("+1") == "error P01: expected a value, found '+'\n  file        x.json:1:1");
  CHECK(json_fault("nul") == "error P01: expected a value, found 'n'\n  file        x.json:1:1");
}

TEST_CASE("escapes become the characters that they stand for") {
  CHECK(read(R"("\"\\\/\b\f\n\r\t")").text == "\"\\/\b\f\n\r\t");
  CHECK(read(R"("\u0041\u00e4\u20ac\ud83d\ude00")").text == "A\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK(json_fault(R"("\x")") == "error P01: \\ is followed by 'x', which is no escape\n  file        x.json:1:2");
  CHECK(json_fault(R"("\u12g4")") ==
        "error P01: expected four hexadecimal digits after \\u, found 'g'\n  file        x.json:1:6");
  CHECK(json_fault(R"("\ud800")") == "error P01: half of a surrogate pair stands alone\n  file        x.json:1:2");
  CHECK(json_fault(R"("\ud800\u0041")") ==
        "error P01: half of a surrogate pair stands alone\n  file        x.json:1:2");
  CHECK(json_fault(R"("\udc00")") == "error P01: half of a surrogate pair stands alone\n  file        x.json:1:2");
}

TEST_CASE("a text ends on its line and holds no control characters and no bad UTF-8") {
  CHECK(json_fault("\"abc") == "error P01: this text has no closing quote\n  file        x.json:1:1");
  CHECK(json_fault("\"abc\n\"") == "error P01: this text has no closing quote on its line\n  file        x.json:1:1");
  CHECK(json_fault(std::string_view("\"a\0\"", 4)) ==
        "error P01: a text holds the control character byte 0x00; write it as an escape\n  file        x.json:1:3");
  CHECK(json_fault("\"a\xFF\"") == "error P01: this text is not UTF-8\n  file        x.json:1:3");
}

TEST_CASE("an unclosed bracket is named with its beginning") {
  CHECK(json_fault("[1, [2") == "error P01: this list has no closing ]\n  file        x.json:1:5");
  CHECK(json_fault("{\"a\": 1") == "error P01: this object has no closing }\n  file        x.json:1:1");
  CHECK(json_fault("") == "error P01: expected a value, found the end of the text\n  file        x.json:1:1");
  CHECK(json_fault("{} {}") == "error P01: expected the end of the text, found '{'\n  file        x.json:1:4");
  CHECK(json_fault("{a: 1}") ==
        "error P01: expected a key in quotes or a worker number, found 'a'\n  file        x.json:1:2");
  CHECK(json_fault("{\"a\" 1}") == "error P01: expected : after the key \"a\", found '1'\n  file        x.json:1:6");
  CHECK(json_fault("{\"a\": 1 \"b\": 2}") ==
        "error P01: expected , or } in an object, found '\"'\n  file        x.json:1:9");
  CHECK(json_fault("[,]") == "error P01: expected a value, found ','\n  file        x.json:1:2");
}

TEST_CASE("the liberties of locality graphs are allowed: bare numbers as keys, no comma before them, a last comma") {
  const auto v = read("{\"default\": [1,] 0: [2], 17: 3,}");
  REQUIRE(v.members.size() == 3);
  CHECK(v.members[1].key == "0");
  CHECK(v.members[1].bare);
  CHECK(v.members[2].key == "17");
  CHECK(v.members[0].value.items.size() == 1);
}

TEST_CASE("depth and size are bounded") {
  CHECK_NOTHROW(read(std::string(32, '[') + std::string(32, ']')));
  CHECK(json_fault(std::string(100000, '[')) ==
        "error P10: lists and objects are nested more than 32 deep\n  file        x.json:1:34\n"
        "  because     a locality graph needs four levels");
  std::string many = "[";
  for (int i = 0; i < 1100000; ++i) many += "1,";
  CHECK(json_fault(many) == "error P10: the text contains more than 1048576 values\n  file        x.json:1:2097152");
}

TEST_CASE("a quoted text reads back as it was") {
  for (const std::string text : {"", "plain", "a\"b\\c", "line\nbreak\x01", "\xC3\xA4"})
    CHECK(read(json_quoted(text)).text == text);
}

TEST_CASE("bad UTF-8 is found at its first byte") {
  CHECK(stretto::base::first_bad_utf8("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80") == 10);
  CHECK(stretto::base::first_bad_utf8("ab\xC0\x80") == 2);        // overlong
  CHECK(stretto::base::first_bad_utf8("\xE0\x9F\xBF") == 0);      // overlong
  CHECK(stretto::base::first_bad_utf8("a\xED\xA0\x80") == 1);     // surrogate
  CHECK(stretto::base::first_bad_utf8("\xF4\x90\x80\x80") == 0);  // beyond U+10FFFF
  CHECK(stretto::base::first_bad_utf8("x\xE2\x82") == 1);         // cut short
  CHECK(stretto::base::first_bad_utf8("\x80") == 0);
}
