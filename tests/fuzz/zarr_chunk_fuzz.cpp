// zarr_chunk_fuzz.cpp - any bytes as a chunk of an array become the elements of a chunk, or are refused; memory is
// taken for what they can hold.
//
//     byte 0      the type of the elements
//     byte 1      codecs: big endian, compression (none, zstd, gzip), checksums before and behind it
//     byte 2      1: the checksum behind is made right; 2: the rest are elements, which are encoded and decoded
//     bytes 3-6   the length of a chunk, little endian, and how far it is shifted to the left
//     the rest    what the file has
#include <stretto/error.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "files/crc32c.hpp"
#include "files/zarr_array.hpp"

using namespace stretto;

namespace {

constexpr std::size_t head_bytes = 7;

error is_damaged(const std::filesystem::path& file, const std::string& expected, const std::string& found) {
  return error("C02", file.string() + " has not " + expected + " but " + found);
}
error cannot_write(const std::filesystem::path&, int) { std::abort(); }
constexpr files::file_errors words{cannot_write, is_damaged};

files::zarr_array array_of(const std::uint8_t* head) {
  static constexpr std::pair<const char*, std::uint32_t> types[] = {
      {"uint8", 1}, {"int16", 2}, {"float32", 4}, {"float64", 8}, {"r24", 3}};
  files::zarr_array a;
  std::tie(a.type, a.element_bytes) = types[head[0] % std::size(types)];
  const std::uint8_t how = head[1];
  a.codecs.push_back(how & 1 ? files::codec::big_endian : files::codec::little_endian);
  if (how & 2) a.codecs.push_back(files::codec::crc32c);
  if (how & 4) a.codecs.push_back(how & 8 ? files::codec::zstd : files::codec::gzip);
  if (how & 16) a.codecs.push_back(files::codec::crc32c);
  const auto length = static_cast<std::int64_t>(head[3]) | static_cast<std::int64_t>(head[4]) << 8 |
                      static_cast<std::int64_t>(head[5]) << 16;
  a.shape = a.chunk = {std::max<std::int64_t>(1, length) << head[6] % 12};
  return a;
}

void make_checksum_right(std::vector<std::byte>& all) {
  if (all.size() < files::checksum_bytes) return;
  const std::size_t end = all.size() - files::checksum_bytes;
  const std::uint32_t sum = files::crc32c(std::span(all).first(end));
  std::memcpy(all.data() + end, &sum, sizeof sum);
}

/// gzip is read alone; what is written is of the same array otherwise.
void go_there_and_back(files::zarr_array a, std::vector<std::byte> elements) {
  std::ranges::replace(a.codecs, files::codec::gzip, files::codec::zstd);
  a.shape = a.chunk = {static_cast<std::int64_t>(std::max<std::size_t>(1, elements.size() / a.element_bytes))};
  elements.resize(files::bytes_of_chunk(a));
  const auto stored = files::encode(a, elements);
  if (stored.size() > files::most_stored_bytes(a) || files::decode(a, stored, "c/0", words) != elements) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < head_bytes) return 0;
  const files::zarr_array a = array_of(data);
  const auto* const first = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> all(first + head_bytes, first + size);
  if (data[2] == 2) {
    go_there_and_back(a, std::move(all));
    return 0;
  }
  if (data[2] == 1 && a.codecs.back() == files::codec::crc32c) make_checksum_right(all);
  try {
    if (files::decode(a, std::move(all), "c/0", words).size() != files::bytes_of_chunk(a)) std::abort();
  } catch (const error& e) {
    if (e.code() != "C02") std::abort();
  }
  return 0;
}
