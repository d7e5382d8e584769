#include "files/atomic_replacement.hpp"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <system_error>

#include "base/file_descriptor.hpp"

namespace stretto::files {

namespace fs = std::filesystem;

namespace {

void sync_folder(const fs::path& folder, const file_errors& c) {
  const base::file_descriptor d(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // EINVAL: this file system cannot sync folders, and need not
  if (d.number() < 0 || (::fsync(d.number()) != 0 && errno != EINVAL)) throw c.cannot_write(folder, errno);
}

void require(const std::error_code& e, const fs::path& what, const file_errors& c) {
  if (e) throw c.cannot_write(what, e.value());
}

fs::path with_ending(const fs::path& name, const char* ending) {
  fs::path p = name;
  if (!p.has_filename()) p = p.parent_path();  // run.ckpt/
  p += ending;
  return p;
}

fs::path parent_of(const fs::path& p) { return p.has_parent_path() ? p.parent_path() : fs::path("."); }

}  // namespace

std::string remedy_for(int number, const char* if_full, const char* otherwise) {
  if (number == ENOSPC || number == EDQUOT) return if_full;
  if (number == EFBIG)
    return "raise the limit on the size of files (ulimit -f), or take a file system that allows larger ones";
  return otherwise;
}

fs::path temporary_path_of(const fs::path& name) { return with_ending(name, ".partial"); }

void create_temporary_folder(const fs::path& name, const file_errors& c) {
  const fs::path there = temporary_path_of(name);
  std::error_code e;
  fs::remove_all(there, e);
  require(e, there, c);
  fs::create_directory(there, e);
  require(e, there, c);
}

void write_file(const fs::path& file, std::span<const std::byte> content, const file_errors& c) {
  std::error_code made;
  fs::create_directories(file.parent_path(), made);
  require(made, file.parent_path(), c);
  {
    const base::file_descriptor d(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666));
    if (d.number() < 0) throw c.cannot_write(file, errno);
    for (auto left = content; !left.empty();) {
      const auto n = ::write(d.number(), left.data(), left.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw c.cannot_write(file, errno);
      left = left.subspan(static_cast<std::size_t>(n));
    }
    if (::fsync(d.number()) != 0) throw c.cannot_write(file, errno);
  }
  sync_folder(file.parent_path(), c);
}

void put_in_place(const fs::path& name, const file_errors& c) {
  const fs::path there = with_ending(name, ""), from = temporary_path_of(name), before = with_ending(name, ".previous");
  std::error_code ignored;
  if (fs::is_directory(from, ignored)) {
    for (const auto& entry : fs::recursive_directory_iterator(from))
      if (entry.is_directory()) sync_folder(entry.path(), c);
    sync_folder(from, c);
  }
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, there.c_str(), RENAME_EXCHANGE) != 0) {
    if (errno != ENOENT && errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) throw c.cannot_write(there, errno);
    if (fs::is_directory(there, ignored)) {
      fs::remove_all(before, ignored);
      if (::rename(there.c_str(), before.c_str()) != 0) throw c.cannot_write(there, errno);
    }
    if (::rename(from.c_str(), there.c_str()) != 0) throw c.cannot_write(there, errno);
  }
  sync_folder(parent_of(there), c);
  fs::remove_all(from, ignored);
  fs::remove_all(before, ignored);
}

fs::path find_complete(const fs::path& name) {
  std::error_code e;
  for (const char* ending : {"", ".previous"})
    if (const fs::path p = with_ending(name, ending); fs::exists(p, e)) return p;
  return {};
}

std::vector<std::byte> read_file(const fs::path& file, std::uint64_t most, const file_errors& c) {
  // Non-blocking: opening a named pipe would block for ever. Regular files are unaffected.
  const base::file_descriptor d(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat is {};
  if (d.number() < 0 || ::fstat(d.number(), &is) != 0) throw c.damaged(file, "a file", std::strerror(errno));
  if (!S_ISREG(is.st_mode)) throw c.damaged(file, "a file", "something else");
  const auto size = static_cast<std::uint64_t>(is.st_size);
  if (size > most) throw c.damaged(file, fmt::format("{} bytes", most), fmt::format("{} bytes", size));
  std::vector<std::byte> all;
  try {
    all.resize(size);
  } catch (const std::exception&) {  // a sparse file may be larger than memory
    throw c.damaged(file, "a file that fits into memory", fmt::format("{} bytes", size));
  }
  for (std::size_t have = 0; have < all.size();) {
    const auto n = ::read(d.number(), all.data() + have, all.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      throw c.damaged(file, fmt::format("{} bytes", all.size()),
                      n ? std::strerror(errno) : fmt::format("{} bytes", have));
    have += static_cast<std::size_t>(n);
  }
  return all;
}

}  // namespace stretto::files
