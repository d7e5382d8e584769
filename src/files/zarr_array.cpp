#include "files/zarr_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "files/compression.hpp"
#include "files/crc32c.hpp"
#include "files/json_depth.hpp"

namespace stretto::files {

static_assert(std::endian::native == std::endian::little, "elements are written without conversion");

namespace {

using json = nlohmann::ordered_json;

constexpr std::array<std::pair<std::string_view, std::uint32_t>, 11> number_types{{{"bool", 1},
                                                                                   {"int8", 1},
                                                                                   {"uint8", 1},
                                                                                   {"int16", 2},
                                                                                   {"uint16", 2},
                                                                                   {"int32", 4},
                                                                                   {"uint32", 4},
                                                                                   {"int64", 8},
                                                                                   {"uint64", 8},
                                                                                   {"float32", 4},
                                                                                   {"float64", 8}}};

/// The bytes of an element; 0 if the type is not known.
std::uint32_t bytes_of_type(const std::string& type) {
  for (const auto& [name, bytes] : number_types)
    if (name == type) return bytes;
  std::uint32_t bits = 0;
  if (type.size() < 2 || type.front() != 'r') return 0;
  const auto end = std::from_chars(type.data() + 1, type.data() + type.size(), bits);
  return end.ec == std::errc() && end.ptr == type.data() + type.size() && bits % 8 == 0 ? bits / 8 : 0;
}

bool is_raw(const zarr_array& a) { return a.type.front() == 'r'; }

/// The core specification has "r128", which zarr for Python cannot read; it reads "raw_bytes".
json type_of(const zarr_array& a) {
  if (!is_raw(a)) return a.type;
  return {{"name", "raw_bytes"}, {"configuration", {{"length_bytes", a.element_bytes}}}};
}

json zero_of(const zarr_array& a) {
  if (a.type == "bool") return false;
  if (is_raw(a))
    return std::string((std::size_t{a.element_bytes} * 4 + 2) / 3, 'A') +
           std::string((3 - a.element_bytes % 3) % 3, '=');  // base64
  if (a.type.front() == 'f') return 0.0;
  return 0;
}

json to_json(codec c) {
  switch (c) {
    case codec::little_endian: return {{"name", "bytes"}, {"configuration", {{"endian", "little"}}}};
    case codec::big_endian: return {{"name", "bytes"}, {"configuration", {{"endian", "big"}}}};
    case codec::crc32c: return {{"name", "crc32c"}};
    case codec::zstd: return {{"name", "zstd"}, {"configuration", {{"level", 3}, {"checksum", false}}}};
    case codec::gzip: return {{"name", "gzip"}, {"configuration", {{"level", 5}}}};
  }
  return {};
}

[[noreturn]] void throw_unsupported(const std::string& file, const std::string& what, const std::string& known) {
  throw error("F06", "the array of " + file + " has " + what + ", which Stretto cannot read")
      .fact("supported", known)
      .remedy("rewrite it in a supported form, in Python: zarr.save_array(folder, array, zarr_format=3)");
}

[[noreturn]] void throw_malformed(const std::string& file, const std::string& why) {
  throw error("F02", file + " does not describe a Zarr array (version 3)")
      .because(why)
      .remedy("name the folder that contains the zarr.json of an array");
}

std::string name_of(const json& j) { return j.is_string() ? j.get<std::string>() : j.at("name").get<std::string>(); }

void read_codecs(const json& all, const std::string& file, zarr_array& a) {
  for (const json& j : all) {
    const std::string name = name_of(j);
    const bool is_first = a.codecs.empty();
    if (is_first != (name == "bytes"))
      throw_unsupported(file, "the codec \"" + name + "\"",
                        is_first ? "bytes first, then zstd, gzip, crc32c" : "zstd, gzip, crc32c behind bytes");
    if (name == "bytes") {
      const json none = json::object();
      const json& configuration = j.is_object() && j.contains("configuration") ? j["configuration"] : none;
      a.codecs.push_back(configuration.value("endian", "little") == "big" ? codec::big_endian : codec::little_endian);
    } else if (name == "crc32c") {
      a.codecs.push_back(codec::crc32c);
    } else if (name == "zstd") {
      a.codecs.push_back(codec::zstd);
    } else if (name == "gzip") {
      a.codecs.push_back(codec::gzip);
    } else {
      throw_unsupported(file, "the codec \"" + name + "\"", "bytes, crc32c, zstd, gzip");
    }
  }
  if (a.codecs.empty()) throw_malformed(file, "it has no codec that converts elements to bytes");
}

template <class T>
std::vector<std::byte> bytes_of_value(T v) {
  std::vector<std::byte> all(sizeof v);
  std::memcpy(all.data(), &v, sizeof v);
  return all;
}

/// Nothing if the text is not base64.
std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::vector<std::byte> all;
  std::uint32_t bits = 0, pending_bits = 0;
  for (const char c : text) {
    const auto digit = digits.find(c);
    if (digit == digits.npos) return {};
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((pending_bits += 6) < 8) continue;
    pending_bits -= 8;
    all.push_back(static_cast<std::byte>(bits >> pending_bits & 0xff));
  }
  return all;
}

std::optional<double> non_finite_value(const std::string& text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return {};
}

/// An integer within the range of T.
template <class T>
T integer_in(const json& v, const std::string& file, const char* what, T least = std::numeric_limits<T>::min(),
             T most = std::numeric_limits<T>::max()) {
  const bool is_above = v.is_number_unsigned() && !std::in_range<T>(v.get<std::uint64_t>());
  const bool is_below = !v.is_number_unsigned() && v.is_number_integer() && !std::in_range<T>(v.get<std::int64_t>());
  if (!v.is_number_integer() || is_above || is_below || v.get<T>() < least || v.get<T>() > most)
    throw_malformed(file, fmt::format("{} is no integer from {} to {}", what, least, most));
  return v.get<T>();
}

std::vector<std::int64_t> lengths_in(const json& list, const std::string& file, const char* what) {
  if (!list.is_array()) throw_malformed(file, fmt::format("{} is no list", what));
  std::vector<std::int64_t> all;
  for (const json& n : list) all.push_back(integer_in<std::int64_t>(n, file, what));
  return all;
}

std::vector<std::byte> fill_of_integer(const json& v, const zarr_array& a, const std::string& file) {
  constexpr const char* what = "its fill value";
  const bool is_unsigned = a.type.front() == 'u' || a.type == "bool";
  if (v.is_boolean()) return bytes_of_value<std::uint64_t>(v.get<bool>());
  if (is_raw(a)) return bytes_of_value(integer_in<std::uint64_t>(v, file, what));
  const std::uint32_t unused = 64 - 8 * a.element_bytes;
  if (is_unsigned)
    return bytes_of_value(
        integer_in<std::uint64_t>(v, file, what, 0, std::numeric_limits<std::uint64_t>::max() >> unused));
  return bytes_of_value(integer_in<std::int64_t>(v, file, what, std::numeric_limits<std::int64_t>::min() >> unused,
                                                 std::numeric_limits<std::int64_t>::max() >> unused));
}

std::vector<std::byte> fill_of_float(double v, const zarr_array& a) {
  if (a.element_bytes != 4) return bytes_of_value(v);
  constexpr double most = std::numeric_limits<float>::max();
  return bytes_of_value(v > most    ? std::numeric_limits<float>::infinity()
                        : v < -most ? -std::numeric_limits<float>::infinity()
                                    : static_cast<float>(v));
}

std::vector<std::byte> fill_of_text(const std::string& text, const zarr_array& a, const std::string& file) {
  if (is_raw(a)) {
    if (auto given = from_base64(text)) return *std::move(given);
    throw_unsupported(file, "the fill value \"" + text + "\"", "numbers of bytes, and bytes in base64");
  }
  const bool is_float = a.type.front() == 'f';
  if (const auto value = non_finite_value(text); value && is_float) return fill_of_float(*value, a);
  std::uint64_t bits = 0;
  const char* const end = text.data() + text.size();
  if (text.starts_with("0x"))
    if (const auto read = std::from_chars(text.data() + 2, end, bits, 16);
        read.ec == std::errc() && read.ptr == end && (a.element_bytes == 8 || bits >> (8 * a.element_bytes) == 0))
      return bytes_of_value(bits);
  throw_unsupported(file, "the fill value \"" + text + "\"",
                    "numbers, \"NaN\", \"Infinity\", \"-Infinity\", and bits as \"0x...\"");
}

/// Parses the fill value, the value of elements without a chunk.
std::vector<std::byte> read_fill(const json& v, const zarr_array& a, const std::string& file) {
  if (v.is_null()) return {};
  std::vector<std::byte> all;
  if (v.is_array()) {
    for (const json& b : v)
      all.push_back(static_cast<std::byte>(integer_in<std::uint8_t>(b, file, "a byte of its fill value")));
    if (all.size() != a.element_bytes)
      throw_malformed(file, fmt::format("its fill value has {} bytes, and an element {}", all.size(), a.element_bytes));
  } else if (v.is_string()) {
    all = fill_of_text(v.get<std::string>(), a, file);
  } else if (a.type.front() == 'f') {
    all = fill_of_float(v.get<double>(), a);
  } else {
    all = fill_of_integer(v, a, file);
  }
  // Bytes of an element beyond the fill value are zero. An element may claim 512 MiB: allocate no memory for that.
  if (std::ranges::all_of(all, [](std::byte b) { return b == std::byte{}; })) return {};
  if (is_raw(a) && all.size() != a.element_bytes)
    throw_malformed(file, fmt::format("its fill value has {} bytes, and an element {}", all.size(), a.element_bytes));
  all.resize(a.element_bytes);
  return all;
}

void swap_bytes(std::vector<std::byte>& all, std::uint32_t element_bytes) {
  for (std::size_t i = 0; i + element_bytes <= all.size(); i += element_bytes)
    std::reverse(all.begin() + static_cast<std::ptrdiff_t>(i),
                 all.begin() + static_cast<std::ptrdiff_t>(i + element_bytes));
}

bool is_compressed(std::span<const codec> codecs) {
  return std::ranges::any_of(codecs, [](codec c) { return c == codec::zstd || c == codec::gzip; });
}

}  // namespace

std::string text_of(const zarr_array& a) {
  json attributes = json::object(), codecs = json::array();
  if (!a.origin.empty()) attributes["origin"] = a.origin;
  if (!a.fields_of.empty()) attributes["fields_of"] = a.fields_of;
  for (const codec c : a.codecs) codecs.push_back(to_json(c));
  const json all = {
      {"zarr_format", 3},
      {"node_type", "array"},
      {"shape", a.shape},
      {"data_type", type_of(a)},
      {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", a.chunk}}}}},
      {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", std::string(1, a.separator)}}}}},
      {"fill_value", zero_of(a)},
      {"codecs", codecs},
      {"attributes", attributes}};
  return all.dump(2) + '\n';
}

std::string group_text() {
  return json{{"zarr_format", 3}, {"node_type", "group"}, {"attributes", json::object()}}.dump(2) + '\n';
}

namespace {
/// In bytes. A chunk may be larger than the array, for example if the array will grow. But reading allocates whole
/// chunks.
constexpr double most_chunk_of_small_array = 0x1p27;
}  // namespace

zarr_array array_in(std::string_view text, const std::string& file) {
  try {
    if (is_nested_too_deeply(text)) throw_malformed(file, "its values are nested too deeply");
    const json all = json::parse(text);
    if (all.at("zarr_format") != 3)
      throw_malformed(file, "it is of version " + all["zarr_format"].dump() + " of the format");
    if (all.at("node_type") != "array") throw_malformed(file, "it describes a " + all["node_type"].get<std::string>());
    zarr_array a;
    a.shape = lengths_in(all.at("shape"), file, "its shape");
    const json& type = all.at("data_type");
    a.type = name_of(type);
    if (a.type == "raw_bytes") {
      const auto bytes =
          integer_in<std::uint64_t>(type.at("configuration").at("length_bytes"), file, "the length of its elements");
      a.type = fmt::format("r{}", bytes < 1u << 29 ? 8 * bytes : 0);
    }
    a.element_bytes = bytes_of_type(a.type);
    if (!a.element_bytes)
      throw_unsupported(file, "elements of type \"" + a.type + "\"",
                        "bool, int8 to int64, uint8 to uint64, float32, float64, and r8, r16 ... for bytes");
    const json& grid = all.at("chunk_grid");
    if (name_of(grid) != "regular") throw_unsupported(file, "the chunk grid \"" + name_of(grid) + "\"", "regular");
    a.chunk = lengths_in(grid.at("configuration").at("chunk_shape"), file, "the shape of its chunks");
    if (a.chunk.size() != a.shape.size())
      throw_malformed(file, "its chunks have another number of axes than the array");
    // Reject arrays whose size would overflow.
    double bytes = a.element_bytes, chunk = a.element_bytes;
    for (std::size_t axis = 0; axis < a.shape.size(); ++axis) {
      if (a.shape[axis] < 0 || a.chunk[axis] < 1)
        throw_malformed(file, "a length of its axes is below 0, or of its chunks below 1");
      bytes *= static_cast<double>(a.shape[axis]), chunk *= static_cast<double>(a.chunk[axis]);
    }
    if (bytes > 0x1p62 || chunk > 0x1p40) throw_malformed(file, "the array or a chunk is larger than any memory");
    if (chunk > std::max(most_chunk_of_small_array, 4 * bytes))
      throw_malformed(file, "one of its chunks is far larger than the whole array");
    const json& keys = all.at("chunk_key_encoding");
    const json none = json::object();
    const json& configuration = keys.is_object() && keys.contains("configuration") ? keys["configuration"] : none;
    const bool is_v2 = name_of(keys) == "v2";
    if (!is_v2 && name_of(keys) != "default")
      throw_unsupported(file, "the chunk key encoding \"" + name_of(keys) + "\"", "default, v2");
    const std::string separator = configuration.value("separator", is_v2 ? "." : "/");
    if (separator != "/" && separator != ".")
      throw_malformed(file, "it separates chunk names with \"" + separator + "\"");
    a.separator = separator[0];
    if (is_v2) a.prefix.clear();
    read_codecs(all.at("codecs"), file, a);
    a.fill = read_fill(all.at("fill_value"), a, file);
    if (all.contains("storage_transformers") && !all["storage_transformers"].empty())
      throw_unsupported(file, "storage transformers", "arrays without any");
    if (all.contains("attributes")) {
      const json& own = all["attributes"];
      if (own.contains("origin")) a.origin = lengths_in(own["origin"], file, "its attribute \"origin\"");
      if (own.contains("fields_of")) a.fields_of = own["fields_of"];
    }
    if (!a.origin.empty() && a.origin.size() != a.shape.size())
      throw_malformed(file, "its attribute \"origin\" has another number of axes than the array");
    for (std::size_t axis = 0; axis < a.origin.size(); ++axis)
      if (std::abs(static_cast<double>(a.origin[axis])) + static_cast<double>(a.shape[axis]) > 0x1p62)
        throw_malformed(file, "its attribute \"origin\" puts coordinates out of range");
    return a;
  } catch (const json::exception& e) {
    throw_malformed(file, e.what());
  }
}

std::string chunk_name(const zarr_array& a, std::span<const std::int64_t> number) {
  std::string name = a.prefix;
  for (const std::int64_t n : number) {
    if (!name.empty()) name += a.separator;
    name += std::to_string(n);
  }
  return name.empty() ? "0" : name;
}

std::uint64_t bytes_of_chunk(const zarr_array& a) {
  std::uint64_t n = a.element_bytes;
  for (const auto length : a.chunk) n *= static_cast<std::uint64_t>(length);
  return n;
}

std::uint64_t most_stored_bytes(const zarr_array& a) {
  const std::uint64_t bytes =
      bytes_of_chunk(a) + 4 * static_cast<std::uint64_t>(std::ranges::count(a.codecs, codec::crc32c));
  return is_compressed(a.codecs) ? bytes + bytes / 64 + (64 << 10) : bytes;
}

std::vector<std::byte> encode(const zarr_array& a, std::vector<std::byte> all) {
  for (const codec c : a.codecs) {
    if (c == codec::big_endian && !is_raw(a)) swap_bytes(all, a.element_bytes);
    if (c == codec::zstd) all = compressed_by_zstd(all);
    if (c == codec::crc32c) {
      const std::uint32_t sum = crc32c(all);
      all.resize(all.size() + sizeof sum);
      std::memcpy(all.data() + all.size() - sizeof sum, &sum, sizeof sum);
    }
  }
  return all;
}

std::vector<std::byte> decode(const zarr_array& a, std::vector<std::byte> all, const std::filesystem::path& file,
                              const file_errors& c) {
  const std::uint64_t bytes = bytes_of_chunk(a);
  if (!is_compressed(a.codecs)) {
    const auto sums = static_cast<std::uint64_t>(std::ranges::count(a.codecs, codec::crc32c)) * 4;
    if (all.size() != bytes + sums)
      throw c.damaged(file, fmt::format("{} bytes", bytes + sums), fmt::format("{} bytes", all.size()));
  }
  for (std::size_t n = a.codecs.size(); n-- > 0;) {
    const codec is = a.codecs[n];
    if (is == codec::crc32c) {
      if (all.size() < checksum_bytes) throw c.damaged(file, "a checksum", fmt::format("{} bytes", all.size()));
      const std::uint32_t sum = checksum_at_end(all);
      all.resize(all.size() - checksum_bytes);
      if (const std::uint32_t real = crc32c(all); real != sum)
        throw c.damaged(file, "checksum " + checksum_text(sum), "checksum " + checksum_text(real));
    } else if (is == codec::zstd || is == codec::gzip) {
      const auto before = std::span(a.codecs).first(n);
      if (is_compressed(before)) throw_unsupported(file.string(), "two compressions", "one of zstd and gzip");
      const std::uint64_t expanded_bytes =
          bytes + 4 * static_cast<std::uint64_t>(std::ranges::count(before, codec::crc32c));
      auto made = is == codec::zstd ? expanded_by_zstd(all, expanded_bytes) : expanded_by_gzip(all, expanded_bytes);
      if (!made)
        throw c.damaged(file,
                        fmt::format("{} bytes, compressed by {}", expanded_bytes, is == codec::zstd ? "zstd" : "gzip"),
                        "another stream of bytes");
      all = std::move(*made);
    } else if (is == codec::big_endian && !is_raw(a)) {
      swap_bytes(all, a.element_bytes);
    }
  }
  return all;
}

}  // namespace stretto::files
