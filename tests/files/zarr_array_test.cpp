#include "files/zarr_array.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "thrown_by.hpp"

using namespace stretto;

namespace {

/// A zarr.json with one modified member.
files::zarr_array with(const std::string& type, const std::string& fill, const std::string& shape = "[4]",
                       const std::string& chunk = "[2]") {
  return files::array_in(
      "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": " + shape + ", \"data_type\": \"" + type +
          "\", \"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": " + chunk +
          "}}, \"chunk_key_encoding\": \"default\", \"codecs\": [\"bytes\"], \"fill_value\": " + fill + "}",
      "zarr.json");
}

std::string code_of(const std::string& type, const std::string& fill, const std::string& shape = "[4]",
                    const std::string& chunk = "[2]") {
  return test::error_of([&] { with(type, fill, shape, chunk); }).code();
}

error is_damaged(const std::filesystem::path&, const std::string&, const std::string&) {
  return error("C02", "damaged");
}
constexpr files::file_errors words{nullptr, is_damaged};

}  // namespace

TEST_CASE("fill values that elements cannot have are refused, and the largest are not") {
  CHECK(with("uint8", "255").fill == std::vector{std::byte{255}});
  CHECK(with("int8", "-128").fill == std::vector{std::byte{128}});
  CHECK(with("uint64", "18446744073709551615").fill == std::vector(8, std::byte{255}));
  CHECK(with("r16", "[1, 255]").fill == std::vector{std::byte{1}, std::byte{255}});
  CHECK(with("float32", "1e300").fill == with("float32", "\"Infinity\"").fill);
  for (const char* value : {"256", "-1", "1.5", "1e300", "\"0x100\"", "\"0x7g\"", "[1, 2]", "[300]"}) {
    CAPTURE(value);
    const std::string code = code_of("uint8", value);
    CHECK((code == "F02" || code == "F06"));
  }
  CHECK(code_of("int8", "128") == "F02");
  CHECK(code_of("int64", "9223372036854775808") == "F02");
  CHECK(code_of("r16", "[1, 256]") == "F02");
  CHECK(code_of("r16", "[1, -1]") == "F02");
}

TEST_CASE("lengths that are no integers of 64 bits are refused") {
  for (const char* length : {"[1.5]", "[1e300]", "[18446744073709551615]", "[\"4\"]", "{\"x\": 4}", "[-1]"}) {
    CAPTURE(length);
    CHECK(code_of("int8", "0", length) == "F02");
    CHECK(code_of("int8", "0", "[4]", length) == "F02");
  }
}

TEST_CASE("a chunk that has more bytes than its stream can hold is damaged, and no memory is taken for it") {
  files::zarr_array a{.shape = {std::int64_t{1} << 39},
                      .chunk = {std::int64_t{1} << 39},
                      .type = "uint8",
                      .codecs = {files::codec::little_endian}};
  for (const files::codec c : {files::codec::zstd, files::codec::gzip}) {
    a.codecs.resize(1), a.codecs.push_back(c);
    CHECK(test::error_of([&] { files::decode(a, std::vector<std::byte>(1000), "c/0", words); }).code() == "C02");
  }
  a.chunk = {1 << 20};  // zeros compress best
  a.codecs[1] = files::codec::zstd;
  const std::vector<std::byte> zeros(1 << 20);
  CHECK(files::decode(a, files::encode(a, zeros), "c/0", words) == zeros);
}
