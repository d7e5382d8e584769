#include "checkpoint/folder.hpp"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <system_error>
#include <utility>

#include "checkpoint/crc32c.hpp"

namespace stretto::checkpoints {

namespace fs = std::filesystem;

namespace {

error cannot_write(const fs::path& what, int number) {
  return error("C01", "the checkpoint " + what.string() + " cannot be written: " + std::strerror(number))
      .because("the last checkpoint stays as it is")
      .remedy(number == ENOSPC || number == EDQUOT ? "make room there: a new checkpoint is written beside the last one"
              : number == EFBIG ? "raise the limit on the size of files (ulimit -f), or take a file system that allows larger ones"
                                : "name a directory in a folder that exists and can be written, on every node");
}

struct descriptor {
  explicit descriptor(int n) noexcept : number(n) {}
  descriptor(const descriptor&) = delete;
  ~descriptor() {
    if (number >= 0) ::close(number);
  }
  int number;
};

void sync_folder(const fs::path& folder) {
  const descriptor d(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (d.number < 0 || (::fsync(d.number) != 0 && errno != EINVAL)) throw cannot_write(folder, errno);  // EINVAL: it has no need to
}

void require(const std::error_code& e, const fs::path& what) {
  if (e) throw cannot_write(what, e.value());
}

fs::path with_ending(const fs::path& directory, const char* ending) {
  fs::path p = directory;
  if (!p.has_filename()) p = p.parent_path();  // run.ckpt/
  p += ending;
  return p;
}

fs::path parent_of(const fs::path& p) { return p.has_parent_path() ? p.parent_path() : fs::path("."); }

}  // namespace

fs::path beside(const fs::path& directory) { return with_ending(directory, ".partial"); }

void begin_beside(const fs::path& directory) {
  const fs::path there = beside(directory);
  std::error_code e;
  fs::remove_all(there, e);
  require(e, there);
  fs::create_directory(there, e);
  require(e, there);
}

file_entry write_file(const fs::path& root, const std::string& name, std::span<const std::byte> content) {
  const fs::path file = root / name;
  std::error_code made;
  fs::create_directories(file.parent_path(), made);
  require(made, file.parent_path());
  {
    const descriptor d(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (d.number < 0) throw cannot_write(file, errno);
    for (auto left = content; !left.empty();) {
      const auto n = ::write(d.number, left.data(), left.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw cannot_write(file, errno);
      left = left.subspan(static_cast<std::size_t>(n));
    }
    if (::fsync(d.number) != 0) throw cannot_write(file, errno);
  }
  sync_folder(file.parent_path());
  return {name, content.size(), crc32c(content)};
}

file_entry write_text(const fs::path& root, const std::string& name, std::string_view content) {
  return write_file(root, name, std::as_bytes(std::span(content)));
}

void put_in_place(const fs::path& directory) {
  const fs::path there = with_ending(directory, ""), from = beside(directory), before = with_ending(directory, ".previous");
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(from))
    if (entry.is_directory()) sync_folder(entry.path());
  sync_folder(from);
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, there.c_str(), RENAME_EXCHANGE) != 0) {
    if (errno != ENOENT && errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) throw cannot_write(there, errno);
    if (fs::exists(there)) {
      fs::remove_all(before, ignored);
      if (::rename(there.c_str(), before.c_str()) != 0) throw cannot_write(there, errno);
    }
    if (::rename(from.c_str(), there.c_str()) != 0) throw cannot_write(there, errno);
  }
  sync_folder(parent_of(there));
  fs::remove_all(from, ignored);
  fs::remove_all(before, ignored);
}

fs::path find_whole(const fs::path& directory) {
  std::error_code e;
  for (const char* ending : {"", ".previous"})
    if (const fs::path p = with_ending(directory, ending); fs::exists(p, e)) return p;
  return {};
}

error damaged(const fs::path& file, const std::string& expected, const std::string& found) {
  return error("C02", "the file " + file.string() + " of a checkpoint is damaged")
      .fact("expected", expected)
      .fact("found", found)
      .because("it is not what was written")
      .remedy("take another copy of the whole checkpoint");
}

std::vector<std::byte> read_any(const fs::path& file) {
  const descriptor d(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat is {};
  if (d.number < 0 || ::fstat(d.number, &is) != 0) throw damaged(file, "a file", std::strerror(errno));
  if (!S_ISREG(is.st_mode)) throw damaged(file, "a file", "something else");
  std::vector<std::byte> all(static_cast<std::size_t>(is.st_size));
  for (std::size_t have = 0; have < all.size();) {
    const auto n = ::read(d.number, all.data() + have, all.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw damaged(file, fmt::format("{} bytes", all.size()), n ? std::strerror(errno) : fmt::format("{} bytes", have));
    have += static_cast<std::size_t>(n);
  }
  return all;
}

std::vector<std::byte> read_file(const fs::path& root, const file_entry& what) {
  auto all = read_any(root / what.name);
  if (all.size() != what.bytes) throw damaged(root / what.name, fmt::format("{} bytes", what.bytes), fmt::format("{} bytes", all.size()));
  const std::uint32_t is = crc32c(all);
  if (is != what.checksum) throw damaged(root / what.name, "checksum " + checksum_text(what.checksum), "checksum " + checksum_text(is));
  return all;
}

}  // namespace stretto::checkpoints
