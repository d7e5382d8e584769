#include "checkpoint/checkpoint_array.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/crc32c.hpp"

namespace stretto::checkpoints {

using files::codec;

// Chunks divide axis 0 only.
files::zarr_array array_of_shape(const saved_shape& s) {
  files::zarr_array a{.shape = s.lengths,
                      .chunk = s.lengths,
                      .type = s.type,
                      .element_bytes = s.element_bytes,
                      .codecs = {codec::little_endian, codec::crc32c},
                      .origin = s.origin,
                      .fields_of = s.fields_of};
  if (a.chunk.empty()) return a;
  for (auto& n : a.chunk) n = std::max<std::int64_t>(n, 1);
  std::uint64_t row = s.element_bytes;
  for (std::size_t axis = 1; axis < a.chunk.size(); ++axis) row *= static_cast<std::uint64_t>(a.chunk[axis]);
  const auto rows = static_cast<std::int64_t>(std::max<std::uint64_t>(1, most_chunk_bytes / row));
  a.chunk[0] = std::min(a.chunk[0], s.rows ? s.rows : rows);
  return a;
}

std::uint64_t chunks_of(const saved_shape& s, const files::zarr_array& a) {
  if (a.chunk.empty()) return 1;
  return elements_of(s) ? static_cast<std::uint64_t>((s.lengths[0] + a.chunk[0] - 1) / a.chunk[0]) : 0;
}

std::string file_of_chunk(const std::string& array, const files::zarr_array& a, std::uint64_t number) {
  std::vector<std::int64_t> at(a.shape.size());
  if (!at.empty()) at[0] = static_cast<std::int64_t>(number);
  return array + '/' + files::chunk_name(a, at);
}

file_entry write_chunk_of(const std::filesystem::path& root, const std::string& array, const files::zarr_array& a,
                          std::uint64_t number, std::vector<std::byte> elements) {
  elements.resize(files::bytes_of_chunk(a));
  return write_chunk(root, file_of_chunk(array, a, number), files::encode(a, std::move(elements)));
}

std::uint64_t elements_of(const saved_shape& s) {
  std::uint64_t n = 1;
  for (const auto length : s.lengths) n *= static_cast<std::uint64_t>(length);
  return n;
}

std::string array_text(const saved_shape& s) { return files::text_of(array_of_shape(s)); }

std::string group_text() { return files::group_text(); }

void write_array(const std::filesystem::path& root, const std::string& name, const saved_shape& s,
                 std::span<const std::byte> content, std::vector<file_entry>& all) {
  const files::zarr_array a = array_of_shape(s);
  const std::uint64_t bytes = files::bytes_of_chunk(a);
  all.push_back(write_text(root, name + "/zarr.json", files::text_of(a)));
  for (std::uint64_t n = 0; n < chunks_of(s, a); ++n) {
    const auto part = content.subspan(n * bytes, std::min<std::uint64_t>(bytes, content.size() - n * bytes));
    all.push_back(write_chunk_of(root, name, a, n, {part.begin(), part.end()}));
  }
}

file_entry entry_of_chunk(const std::filesystem::path& root, const std::string& array, const files::zarr_array& a,
                          std::uint64_t number, const entry_finder& entry_of) {
  file_entry chunk = entry_of(file_of_chunk(array, a, number));
  if (const std::uint64_t bytes = files::bytes_of_chunk(a) + files::checksum_bytes; chunk.bytes != bytes)
    throw damaged(root / chunk.name, fmt::format("{} bytes", bytes), fmt::format("{} bytes", chunk.bytes));
  return chunk;
}

void require_chunks(const std::filesystem::path& root, const std::string& array, const saved_shape& s,
                    const entry_finder& entry_of) {
  const files::zarr_array a = array_of_shape(s);
  for (std::uint64_t n = 0; n < chunks_of(s, a); ++n) entry_of_chunk(root, array, a, n, entry_of);
}

std::vector<std::byte> read_array(const std::filesystem::path& root, const std::string& name, const saved_shape& s,
                                  const entry_finder& entry_of) {
  require_chunks(root, name, s, entry_of);
  const files::zarr_array a = array_of_shape(s);
  std::vector<std::byte> content;
  for (std::uint64_t n = 0; n < chunks_of(s, a); ++n) {
    const auto chunk = read_file(root, entry_of_chunk(root, name, a, n, entry_of));
    content.insert(content.end(), chunk.begin(), chunk.end() - static_cast<std::ptrdiff_t>(files::checksum_bytes));
  }
  content.resize(elements_of(s) * s.element_bytes);
  return content;
}

}  // namespace stretto::checkpoints
