// Encoding of source lines and failures.
#include "dist/program_constants.hpp"

#include <doctest/doctest.h>

#include <stretto/error.hpp>

#include <bit>
#include <random>

#include "base/bytes.hpp"
#include "campaign.hpp"

using namespace stretto;

TEST_SUITE_BEGIN("dist");

TEST_CASE("a source line is decoded to the same constants") {
  const auto here = std::source_location::current();
  const auto bits = dist::encode(here, 3);
  CHECK((bits >> 48) != 0);
  const auto back = dist::decode(bits, 3);
  CHECK(back.line() == here.line());
  CHECK(back.file_name() == here.file_name());
  CHECK(short_location(dist::decode(dist::encode({}, 3), 3)) == "");
}

TEST_CASE("a line that no module holds reads as somewhere on its node, also after a third node has forwarded it") {
  struct {
    const char* file;
    const char* function;
    unsigned line, column;
  } constants{"a.cpp", "f", 1, 1};
  const auto made_up = std::bit_cast<std::source_location>(static_cast<const void*>(&constants));
  const auto far = dist::decode(dist::encode(made_up, 3), 3);
  CHECK(short_location(far) == "somewhere on node N3");
  CHECK(short_location(dist::decode(dist::encode(far, 5), 5)) == "somewhere on node N3");
}

TEST_CASE("unknown bits read as somewhere on their sender, and touch no memory outside of modules") {
  std::mt19937_64 random(1);
  const auto good = dist::encode(std::source_location::current(), 0);
  for (int i = 0; i < test::scaled(20'000, 2'000'000); ++i) {
    const std::uint64_t bits = i % 2 ? random() : (good & ~std::uint64_t{0xffffff}) | (random() & 0xffffff);
    dist::decode(bits, 4);
  }
  CHECK(short_location(dist::decode(good ^ std::uint64_t{1} << 60, 4)) == "somewhere on node N4");
}

TEST_CASE("a reader never goes beyond what was written") {
  base::writer w(std::uint32_t{7}, std::uint8_t{1});
  w.put_text("four", 100);
  w.put_text(std::string(500, 'x'), 100);
  base::reader r(w.all());
  CHECK(r.get<std::uint32_t>() == 7);
  CHECK(r.get<std::uint8_t>() == 1);
  CHECK(r.get_text() == "four");
  CHECK(r.get_text() == std::string(100, 'x'));
  CHECK(r.is_whole());
  CHECK(r.left() == 0);
  for (std::size_t n = 0; n < w.size(); ++n) {
    base::reader cut(w.all().first(n));
    cut.get<std::uint32_t>();
    cut.get<std::uint8_t>();
    cut.get_text();
    cut.get_text();
    CHECK_FALSE(cut.is_whole());
  }
}

TEST_SUITE_END();
