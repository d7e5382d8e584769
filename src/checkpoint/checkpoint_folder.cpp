#include "checkpoint/checkpoint_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "files/crc32c.hpp"

namespace stretto::checkpoints {

namespace fs = std::filesystem;

namespace {

error cannot_write(const fs::path& what, int number) {
  return error("C01", "the checkpoint " + what.string() + " cannot be written: " + std::strerror(number))
      .because("the last checkpoint stays as it is")
      .remedy(files::remedy_for(number, "free space there: a new checkpoint is written next to the last one",
                                "name a directory inside an existing, writable folder, on every node"));
}

constexpr files::file_errors checkpoint_errors{cannot_write, damaged};

}  // namespace

void create_temporary_folder(const fs::path& directory) {
  files::create_temporary_folder(directory, checkpoint_errors);
}

file_entry write_file(const fs::path& root, const std::string& name, std::span<const std::byte> content) {
  files::write_file(root / name, content, checkpoint_errors);
  return {name, content.size(), files::crc32c(content)};
}

file_entry write_chunk(const fs::path& root, const std::string& name, std::span<const std::byte> content) {
  files::write_file(root / name, content, checkpoint_errors);
  return {name, content.size(), files::checksum_at_end(content), true};
}

file_entry write_text(const fs::path& root, const std::string& name, std::string_view content) {
  return write_file(root, name, std::as_bytes(std::span(content)));
}

void put_in_place(const fs::path& directory) { files::put_in_place(directory, checkpoint_errors); }

error damaged(const fs::path& file, const std::string& expected, const std::string& found) {
  return error("C02", "the file " + file.string() + " of a checkpoint is damaged")
      .fact("expected", expected)
      .fact("found", found)
      .because("the contents differ from what was written")
      .remedy("take another copy of the whole checkpoint");
}

std::vector<std::byte> read_plain_file(const fs::path& file) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;  // it is parsed in memory
  return files::read_file(file, most_bytes, checkpoint_errors);
}

std::vector<std::byte> read_file(const fs::path& root, const file_entry& what) {
  auto all = files::read_file(root / what.name, what.bytes, checkpoint_errors);
  if (all.size() != what.bytes)
    throw damaged(root / what.name, fmt::format("{} bytes", what.bytes), fmt::format("{} bytes", all.size()));
  const std::size_t behind = what.excludes_checksum ? std::min(all.size(), files::checksum_bytes) : 0;
  const std::uint32_t is = files::crc32c(std::span<const std::byte>(all).first(all.size() - behind));
  if (what.excludes_checksum && is != files::checksum_at_end(all))
    throw damaged(root / what.name, "checksum " + files::checksum_text(files::checksum_at_end(all)) + " at its end",
                  "checksum " + files::checksum_text(is));
  if (is != what.checksum)
    throw damaged(root / what.name, "checksum " + files::checksum_text(what.checksum),
                  "checksum " + files::checksum_text(is));
  return all;
}

}  // namespace stretto::checkpoints
