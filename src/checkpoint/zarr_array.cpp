#include "checkpoint/zarr_array.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "checkpoint/crc32c.hpp"

namespace stretto::checkpoints {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

namespace {

using json = nlohmann::ordered_json;

struct chunking {
  std::vector<std::int64_t> chunk;      // lengths
  std::uint64_t count = 1, bytes = 0;   // of chunks; of one
};

chunking chunking_of(const kept_shape& s) {
  chunking c{s.lengths, 1, s.element_bytes};
  if (c.chunk.empty()) return c;
  for (auto& n : c.chunk) n = std::max<std::int64_t>(n, 1);
  std::uint64_t row = s.element_bytes;
  for (std::size_t a = 1; a < c.chunk.size(); ++a) row *= static_cast<std::uint64_t>(c.chunk[a]);
  const auto rows = static_cast<std::int64_t>(std::max<std::uint64_t>(1, most_bytes_of_chunk / row));
  c.chunk[0] = std::min(c.chunk[0], rows);
  c.bytes = row * static_cast<std::uint64_t>(c.chunk[0]);
  c.count = elements_of(s) ? static_cast<std::uint64_t>((s.lengths[0] + c.chunk[0] - 1) / c.chunk[0]) : 0;
  return c;
}

std::string chunk_name(const std::string& array, const kept_shape& s, std::uint64_t number) {
  std::string name = array + "/c";
  for (std::size_t a = 0; a < s.lengths.size(); ++a) name += '/' + std::to_string(a ? 0 : number);
  return name;
}

json zero_of(const kept_shape& s) {
  if (s.type == "bool") return false;
  if (s.type.front() == 'r') return std::vector<int>(s.element_bytes, 0);
  if (s.type.front() == 'f') return 0.0;
  return 0;
}

}  // namespace

std::uint64_t elements_of(const kept_shape& s) {
  std::uint64_t n = 1;
  for (const auto length : s.lengths) n *= static_cast<std::uint64_t>(length);
  return n;
}

std::string array_text(const kept_shape& s) {
  json attributes = json::object();
  if (!s.origin.empty()) attributes["origin"] = s.origin;
  if (!s.fields_of.empty()) attributes["fields_of"] = s.fields_of;
  const json codecs = {{{"name", "bytes"}, {"configuration", {{"endian", "little"}}}}, {{"name", "crc32c"}}};
  const json all = {{"zarr_format", 3},
                    {"node_type", "array"},
                    {"shape", s.lengths},
                    {"data_type", s.type},
                    {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", chunking_of(s).chunk}}}}},
                    {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
                    {"fill_value", zero_of(s)},
                    {"codecs", codecs},
                    {"attributes", attributes}};
  return all.dump(2) + '\n';
}

std::string group_text() { return json{{"zarr_format", 3}, {"node_type", "group"}, {"attributes", json::object()}}.dump(2) + '\n'; }

void write_array(const std::filesystem::path& root, const std::string& name, const kept_shape& s, std::span<const std::byte> content,
                 std::vector<file_entry>& all) {
  const chunking c = chunking_of(s);
  all.push_back(write_text(root, name + "/zarr.json", array_text(s)));
  std::vector<std::byte> chunk;
  for (std::uint64_t n = 0; n < c.count; ++n) {
    const auto part = content.subspan(n * c.bytes, std::min<std::uint64_t>(c.bytes, content.size() - n * c.bytes));
    chunk.assign(part.begin(), part.end());
    chunk.resize(c.bytes);
    const std::uint32_t sum = crc32c(chunk);
    chunk.resize(c.bytes + sizeof sum);
    std::memcpy(chunk.data() + c.bytes, &sum, sizeof sum);
    all.push_back(write_file(root, chunk_name(name, s, n), chunk));
  }
}

std::vector<std::byte> read_array(const std::filesystem::path& root, const std::string& name, const kept_shape& s,
                                  const std::function<file_entry(const std::string& file)>& entry_of) {
  const chunking c = chunking_of(s);
  std::vector<std::byte> content;
  for (std::uint64_t n = 0; n < c.count; ++n) {
    const auto chunk = read_file(root, entry_of(chunk_name(name, s, n)));
    content.insert(content.end(), chunk.begin(), chunk.end() - std::min<std::ptrdiff_t>(4, std::ssize(chunk)));
  }
  content.resize(elements_of(s) * s.element_bytes);
  return content;
}

}  // namespace stretto::checkpoints
