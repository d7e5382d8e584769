#include "net/shared_memory_channels.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <string_view>

#include "base/first_line.hpp"
#include "base/hash.hpp"
#include "base/line_copies.hpp"

namespace stretto::net {
namespace lanes {
namespace {

constexpr std::uint64_t page = 4096, line = 64;
/// Copied at a time, so that the other side can begin.
constexpr std::uint64_t step = std::uint64_t{8} << 10;
/// What has been taken, once the receiver wants no more.
constexpr std::uint64_t ended = std::numeric_limits<std::uint64_t>::max();

/// Each side writes its own line, two lines apart: processors fetch lines in pairs.
struct alignas(128) counts {
  std::atomic<std::uint64_t> copied_in{0};
  alignas(128) std::atomic<std::uint64_t> taken{ended};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share them");

}  // namespace

/// What the memory begins with; behind it lie the lanes.
struct segment {
  std::uint64_t key, lane_bytes;
  std::uint32_t lanes;
  counts of[own_lanes::most];

  std::byte* lane(std::uint32_t n) noexcept;
};

namespace {
constexpr std::uint64_t front_bytes = (sizeof(segment) + page - 1) / page * page;
}

std::byte* segment::lane(std::uint32_t n) noexcept { return reinterpret_cast<std::byte*>(this) + front_bytes + n * lane_bytes; }

mapped::mapped(int file, std::uint64_t bytes) {
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) return;
  at_ = static_cast<segment*>(at);
  bytes_ = bytes;
}

mapped::~mapped() {
  if (at_) munmap(at_, bytes_);
}

namespace {

/// Zero where the system does not say it: processes find one another if they have booted together and count processes alike.
std::uint64_t this_host() {
  const std::string boot = base::first_line("/proc/sys/kernel/random/boot_id");
  char view[64];
  const auto n = readlink("/proc/self/ns/pid", view, sizeof view);
  if (boot.empty() || n <= 0) return 0;
  return base::fnv1a(std::string_view(view, static_cast<std::size_t>(n)), base::fnv1a(boot));
}

/// The system ends a process that makes a file longer than it may, this kind, too.
bool may_be_so_long(std::uint64_t bytes) {
  rlimit most = {};
  return !getrlimit(RLIMIT_FSIZE, &most) && bytes <= most.rlim_cur;
}

std::uint64_t new_key() {
  std::random_device draw;
  return (std::uint64_t{draw()} << 32 | draw()) ^ static_cast<std::uint64_t>(getpid());
}

}  // namespace
}  // namespace lanes

using lanes::counts;
using lanes::segment;

own_lanes::own_lanes(int file, const lanes_address& address)
    : file_(file), address_(address), memory_(file, address.bytes), is_held_(most), began_(most) {}

own_lanes::~own_lanes() { close(file_); }

std::unique_ptr<own_lanes> own_lanes::make(std::uint64_t bytes) {
  const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, bytes / lanes::page));
  const std::uint64_t host = count && lanes::may_be_so_long(bytes + lanes::front_bytes) ? lanes::this_host() : 0;
  if (!host) return nullptr;
  const int file = memfd_create("stretto lanes", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  const std::uint64_t lane_bytes = bytes / count / lanes::page * lanes::page;
  const lanes_address address{.host = host, .key = lanes::new_key(), .bytes = lanes::front_bytes + count * lane_bytes, .process = getpid(), .file = file};
  if (ftruncate(file, static_cast<off_t>(address.bytes))) {
    close(file);
    return nullptr;
  }
  std::unique_ptr<own_lanes> made(new own_lanes(file, address));
  if (!made->memory_.at()) return nullptr;
  segment& s = *new (made->memory_.at()) segment;
  s.lane_bytes = lane_bytes;
  s.lanes = count;
  s.key = address.key;
  return made;
}

std::uint64_t own_lanes::lane_bytes() const noexcept { return memory_.at()->lane_bytes; }

std::optional<std::uint32_t> own_lanes::take() noexcept {
  segment& s = *memory_.at();
  for (std::uint32_t n = 0; n < s.lanes; ++n) {
    counts& c = s.of[n];
    if (is_held_[n] || c.taken.load(std::memory_order_acquire) != lanes::ended) continue;
    is_held_[n] = true;
    // On behind the payload before, whose lines are still in the receiver's caches: to drive them out costs more than to use others.
    began_[n] = (c.copied_in.load(std::memory_order_relaxed) + lanes::line - 1) / lanes::line * lanes::line;
    c.copied_in.store(began_[n], std::memory_order_relaxed);
    c.taken.store(began_[n], std::memory_order_release);
    return n;
  }
  return {};
}

std::size_t own_lanes::copy_in(std::uint32_t lane, std::span<const std::byte> left) noexcept {
  segment& s = *memory_.at();
  counts& c = s.of[lane];
  std::byte* const ring = s.lane(lane);
  std::uint64_t in = c.copied_in.load(std::memory_order_relaxed);
  const std::size_t most_now = std::min<std::uint64_t>(left.size(), s.lane_bytes);
  std::size_t done = 0;
  while (done < most_now) {
    const std::uint64_t taken = c.taken.load(std::memory_order_acquire);
    if (taken == lanes::ended) return left.size();
    const std::uint64_t at = in % s.lane_bytes;
    const std::uint64_t now = std::min({s.lane_bytes - (in - taken), s.lane_bytes - at, lanes::step, std::uint64_t{most_now - done}});
    if (!now) break;
    base::copy_past_caches(ring + at, left.data() + done, now);
    in += now, done += now;
    c.copied_in.store(in, std::memory_order_release);
  }
  return done;
}

bool own_lanes::has_begun(std::uint32_t lane) const noexcept {
  return memory_.at()->of[lane].taken.load(std::memory_order_acquire) != began_[lane];
}

std::unique_ptr<lanes_of_other> lanes_of_other::find(const lanes_address& there) {
  if (!there.host || there.host != lanes::this_host()) return nullptr;
  const std::string path = "/proc/" + std::to_string(there.process) + "/fd/" + std::to_string(there.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat is = {};
  const bool is_whole = !fstat(file, &is) && static_cast<std::uint64_t>(is.st_size) == there.bytes && there.bytes >= lanes::front_bytes;
  std::unique_ptr<lanes_of_other> found(is_whole ? new lanes_of_other(file, there.bytes) : nullptr);
  close(file);
  if (!found || !found->memory_.at() || found->memory_.at()->key != there.key) return nullptr;
  return found;
}

std::uint64_t lanes_of_other::copy_out(std::uint32_t lane, std::byte* target, std::uint64_t got, std::uint64_t bytes) noexcept {
  segment& s = *memory_.at();
  counts& c = s.of[lane];
  const std::byte* const ring = s.lane(lane);
  const std::uint64_t most_now = std::min(bytes, got + s.lane_bytes);
  std::uint64_t taken = c.taken.load(std::memory_order_relaxed);
  while (got < most_now) {
    const std::uint64_t at = taken % s.lane_bytes;
    const std::uint64_t now = std::min({c.copied_in.load(std::memory_order_acquire) - taken, s.lane_bytes - at, lanes::step, most_now - got});
    if (!now) break;
    base::copy_by_lines(target + got, ring + at, now);
    got += now, taken += now;
    c.taken.store(got == bytes ? lanes::ended : taken, std::memory_order_release);
  }
  return got;
}

void lanes_of_other::drop(std::uint32_t lane) noexcept { memory_.at()->of[lane].taken.store(lanes::ended, std::memory_order_release); }

}  // namespace stretto::net
