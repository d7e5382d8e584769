#include "data/address_range.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <stretto/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/address_space.hpp"
#include "base/sanitizers.hpp"

namespace stretto::data {

namespace {
constexpr std::uint64_t page = 4096;
constexpr std::uint64_t first_step = 1u << 20;
constexpr std::uint64_t largest_step = 256u << 20;

std::uint64_t page_up(std::uint64_t n) noexcept { return (n + page - 1) / page * page; }

[[noreturn]] void refuse(const std::filesystem::path& folder, const char* what, int why) {
  throw error("D23", "the folder \"" + folder.string() + "\" cannot hold the objects that do not fit in memory")
      .fact("operation", what)
      .because(std::strerror(why))
      .remedy("name another folder with STRETTO_SPILL, on a disk with free space");
}

int open_without_name(const std::filesystem::path& folder) {
  if (const int made = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); made >= 0) return made;
  // Some file systems have no unnamed files.
  std::string name = folder / "stretto-spill-XXXXXX";
  const int made = ::mkostemp(name.data(), O_CLOEXEC);
  if (made < 0) refuse(folder, "creating a file in it", errno);
  ::unlink(name.c_str());
  return made;
}
}  // namespace

address_range::address_range(const std::filesystem::path& folder) : file_(open_without_name(folder)) {
  struct statvfs disk;
  int why = ENOSPC;
  if (::fstatvfs(file_, &disk) == 0)
    for (std::uint64_t bytes = base::share_of_addresses(disk.f_bavail * disk.f_frsize) / page * page; bytes >= page;
         bytes = bytes / 2 / page * page) {
      if (::ftruncate(file_, static_cast<off_t>(bytes)) == 0) {
        void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
        if (at != MAP_FAILED) {
          ::madvise(at, bytes, MADV_DONTDUMP);
          base_ = static_cast<std::byte*>(at);
          capacity_ = bytes;
          return;
        }
      }
      why = errno;
    }
  else why = errno;
  ::close(file_);
  refuse(folder, "mapping a file in it", why);
}

address_range::address_range(std::uint64_t capacity) noexcept {
  capacity = base::share_of_addresses(capacity);
  // Without access rights the range is not accounted, whatever the system's policy on overcommitment.
  for (std::uint64_t bytes = page_up(capacity); bytes >= page; bytes = page_up(bytes / 2)) {
    void* at = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED) {
      ::madvise(at, bytes, MADV_DONTDUMP);  // or a debugger writes a core file of this size
      base_ = static_cast<std::byte*>(at);
      capacity_ = std::min(bytes, capacity);
      return;
    }
    if (bytes == page) return;
  }
}

address_range::~address_range() {
  if (base_ && is_ours_) ::munmap(base_, page_up(capacity_));
  if (file_ >= 0) ::close(file_);
}

// Touching a page of a file on a full disk would kill the program: the disk space is allocated first.
bool address_range::grow_file(std::uint64_t end) noexcept {
  for (const std::uint64_t wanted :
       {std::min(capacity_, page_up(std::max(end, committed_ + largest_step))), page_up(end)})
    if (::posix_fallocate(file_, static_cast<off_t>(committed_), static_cast<off_t>(wanted - committed_)) == 0) {
      base::unpoison(base_ + committed_, wanted - committed_);
      committed_ = wanted;
      return true;
    }
  return false;
}

bool address_range::grow(std::uint64_t end) noexcept {
  if (end > capacity_) return false;
  if (file_ >= 0) return grow_file(end);
  const std::uint64_t step = std::clamp(committed_, first_step, largest_step);
  const std::uint64_t all = page_up(capacity_);
  for (const std::uint64_t wanted : {std::min(all, page_up(std::max(end, committed_ + step))), page_up(end)})
    if (::mprotect(base_ + committed_, wanted - committed_, PROT_READ | PROT_WRITE) == 0) {
      // These addresses may have been a task's stack before; the sanitizer's marks outlive a mapping.
      base::unpoison(base_ + committed_, wanted - committed_);
      // Large instances may be read at random: fewer pages mean fewer TLB misses.
      ::madvise(base_ + committed_, wanted - committed_, MADV_HUGEPAGE);
      ::madvise(base_ + committed_, wanted - committed_, MADV_DODUMP);
      committed_ = wanted;
      return true;
    }
  return false;
}

void address_range::discard(std::uint64_t from, std::uint64_t to) noexcept {
  if (!is_ours_ || file_ >= 0) return;
  from = page_up(from);
  to = to / page * page;
  if (from < to) ::madvise(base_ + from, to - from, MADV_DONTNEED);
}

}  // namespace stretto::data
