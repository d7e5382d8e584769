#include <doctest/doctest.h>

#include "base/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stretto::base {
namespace {

TEST_CASE("writes behind a large part do not copy it again") {
  const std::vector<std::byte> large(1 << 20, std::byte{7});
  writer w(std::uint64_t{1});
  w.put_bytes(large);
  const std::byte* const there = w.all().data();
  for (std::uint64_t n = 0; n < 30; ++n) w.put(n);
  CHECK(w.all().data() == there);
  CHECK(w.size() == 8 + large.size() + 240);
}

TEST_CASE("a writer of any parts is read back, however they cross the room that it has") {
  for (std::size_t part = 1; part < 400; part += 7) {
    writer w;
    for (std::uint8_t n = 0; n < 50; ++n) {
      w.put(n);
      w.put_bytes(std::vector<std::byte>(part, std::byte{n}));
    }
    reader r(w.all());
    for (std::uint8_t n = 0; n < 50; ++n) {
      REQUIRE(r.get<std::uint8_t>() == n);
      for (const std::byte b : r.get_bytes(part)) REQUIRE(b == std::byte{n});
    }
    CHECK(r.left() == 0);
  }
}

TEST_CASE("numbers that are put at once are read at once, and of too few bytes nothing is") {
  struct front {
    std::uint64_t one;
    std::uint32_t two;
    std::uint16_t three, four;
  };
  for (std::size_t before = 0; before < 300; before += 4) {
    writer w;
    w.put_bytes(std::vector<std::byte>(before, std::byte{1}));
    w.put_front(front{.one = before + 1, .two = 2, .three = 3, .four = 4}).put(std::uint8_t{5});
    REQUIRE(w.size() == before + sizeof(front) + 1);
    reader r(w.all());
    r.get_bytes(before);
    front f{};
    r.get_front(f);
    CHECK(f.one == before + 1);
    CHECK(f.two == 2);
    CHECK(f.three == 3);
    CHECK(f.four == 4);
    CHECK(r.get<std::uint8_t>() == 5);
    CHECK(r.is_whole());
    reader cut(w.all().first(before + sizeof(front) - 1));
    cut.get_bytes(before);
    front untouched{.one = 6, .two = 7, .three = 8, .four = 9};
    cut.get_front(untouched);
    CHECK((untouched.one == 6 && untouched.four == 9));
    CHECK_FALSE(cut.is_whole());
  }
}

TEST_CASE("a text is read by its own length, or by one that was said before; of too few bytes nothing is") {
  const std::string text = "a name";
  writer w(static_cast<std::uint8_t>(text.size()));
  w.put_text(text, 4).put_text("", 4).put_bytes(std::as_bytes(std::span(text)));
  reader r(w.all());
  const auto characters = r.get<std::uint8_t>();
  CHECK(r.get_text() == "a na");
  CHECK(r.get_text().empty());
  CHECK(r.get_text(0).empty());
  CHECK(r.get_text(characters) == text);
  CHECK((r.is_whole() && r.left() == 0));
  reader cut(w.all().first(w.size() - 1));
  cut.get_bytes(cut.left() - (text.size() - 1));
  CHECK(cut.get_text(characters).empty());
  CHECK_FALSE(cut.is_whole());
}

}  // namespace
}  // namespace stretto::base
