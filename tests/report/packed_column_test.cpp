#include "report/packed_column.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <random>
#include <string>

#include "report/overview.hpp"
#include "small_runs.hpp"

using namespace stretto::report;

TEST_CASE("base64 is that of RFC 4648") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xff\xfe") == "//4=");
}

TEST_CASE("numbers take seven bits a byte, columns know where they begin and how large they get") {
  column_packer p;
  p.begin("a");
  for (const std::uint64_t n : {0ull, 127ull, 128ull, 300ull}) p.add(n);
  p.begin("b");
  for (const std::int64_t n : {0, -1, 1, -2}) p.add_signed(n);
  p.begin("c");
  p.add(~std::uint64_t{0});
  CHECK(p.bytes() == std::string("\0\x7f\x80\1\xac\2\0\1\2\3\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 20));
  REQUIRE(p.columns().size() == 3);
  CHECK(p.columns()[0].most == 300);
  CHECK(p.columns()[0].count == 4);
  CHECK(p.columns()[1].at == 6);
  CHECK(p.columns()[2].most == ~std::uint64_t{0});
}

TEST_CASE("compressed data comes back, of any size and content") {
  std::mt19937 random(7);
  for (const std::size_t size : {0u, 1u, 5000u, 3'000'000u}) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    const std::string packed = compressed(bytes);
    std::string back(size + 1, '\0');
    uLongf length = back.size();
    REQUIRE(uncompress(reinterpret_cast<Bytef*>(back.data()), &length, reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()) == Z_OK);
    back.resize(length);
    CHECK(back == bytes);
  }
  CHECK(compressed(std::string(1'000'000, 'x')).size() < 10'000);
}

TEST_CASE("the overview says for each lane and slice how busy it was, and with what") {
  const run r = make_run({{0, 0, 100, "a"}, {1, 50, 60, "b"}, {1, 60, 100, "c"}, {1, 150, 200, "b"}});
  const auto o = find_overview(r, 4);
  REQUIRE(o.slices == 4);
  const auto nothing = static_cast<std::uint32_t>(r.labels.size());
  const std::vector<overview_cell> expected{{255, 0},     {255, 0}, {0, nothing}, {0, nothing},
                                            {0, nothing}, {255, 2}, {0, nothing}, {255, 1}};
  CHECK(o.cells == expected);
  CHECK(find_overview(r).slices == 200);  // a slice is at least a nanosecond
}

TEST_CASE("nested work counts once in the overview, and records without length are somewhere") {
  const auto o = find_overview(make_run({{0, 0, 100, "outer"}, {0, 50, 100, "inner"}, {0, 100, 100, "moment"}}), 2);
  CHECK(o.cells[0].busy == 127);
  CHECK(o.cells[1].busy == 255);
}

TEST_CASE("however many lanes there are, the overview is small") {
  run r = make_run({{0, 0, 1'000'000, "a"}});
  for (std::uint32_t i = 1; i < 3000; ++i) r.lanes.push_back({"more", 0, 0});
  CHECK(find_overview(r).cells.size() <= std::size_t{1} << 18);
  for (std::uint32_t i = 0; i < 300'000; ++i) r.lanes.push_back({"more", 0, 0});
  CHECK(find_overview(r).slices == 1);
}
