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

#include "base/cache_line_copy.hpp"
#include "base/first_line.hpp"
#include "base/hash.hpp"

namespace stretto::net {
namespace channels {
namespace {

constexpr std::uint64_t page = 4096, line = 64;
/// Bytes per copy, so that the other side can begin early.
constexpr std::uint64_t step = std::uint64_t{8} << 10;
/// The value of `taken` once the receiver needs no more bytes.
constexpr std::uint64_t ended = std::numeric_limits<std::uint64_t>::max();

/// Each side writes its own cache line. They are two lines apart, since processors fetch lines in pairs.
struct alignas(128) counts {
  std::atomic<std::uint64_t> copied_in{0};
  alignas(128) std::atomic<std::uint64_t> taken{ended};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share them");

}  // namespace

/// The beginning of the memory; the channels are behind it.
struct segment {
  std::uint64_t key, channel_bytes;
  std::uint32_t channels;
  counts of[own_channels::most];

  std::byte* channel(std::uint32_t n) noexcept;
};

namespace {
constexpr std::uint64_t front_bytes = (sizeof(segment) + page - 1) / page * page;
}

std::byte* segment::channel(std::uint32_t n) noexcept {
  return reinterpret_cast<std::byte*>(this) + front_bytes + n * channel_bytes;
}

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

/// Identifies the host: processes find one another if they share the boot id and the process namespace. 0 if unknown.
std::uint64_t this_host() {
  const std::string boot = base::boot_id();
  char view[64];
  const auto n = readlink("/proc/self/ns/pid", view, sizeof view);
  if (boot.empty() || n <= 0) return 0;
  return base::fnv1a(std::string_view(view, static_cast<std::size_t>(n)), base::fnv1a(boot));
}

/// Whether a file may have that length: the system ends a process that exceeds its limit, even for files without a
/// name.
bool may_be_so_long(std::uint64_t bytes) {
  rlimit most = {};
  return !getrlimit(RLIMIT_FSIZE, &most) && bytes <= most.rlim_cur;
}

std::uint64_t new_key() {
  std::random_device draw;
  return (std::uint64_t{draw()} << 32 | draw()) ^ static_cast<std::uint64_t>(getpid());
}

}  // namespace
}  // namespace channels

using channels::counts;
using channels::segment;

own_channels::own_channels(int file, const channels_address& address)
    : file_(file), address_(address), memory_(file, address.bytes), is_held_(most), began_(most) {}

own_channels::~own_channels() { close(file_); }

std::unique_ptr<own_channels> own_channels::make(std::uint64_t bytes) {
  const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, bytes / channels::page));
  const std::uint64_t host =
      count && channels::may_be_so_long(bytes + channels::front_bytes) ? channels::this_host() : 0;
  if (!host) return nullptr;
  const int file = memfd_create("stretto lanes", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  const std::uint64_t channel_bytes = bytes / count / channels::page * channels::page;
  const channels_address address{.host = host,
                                 .key = channels::new_key(),
                                 .bytes = channels::front_bytes + count * channel_bytes,
                                 .process = getpid(),
                                 .file = file};
  if (ftruncate(file, static_cast<off_t>(address.bytes))) {
    close(file);
    return nullptr;
  }
  std::unique_ptr<own_channels> made(new own_channels(file, address));
  if (!made->memory_.at()) return nullptr;
  segment& s = *new (made->memory_.at()) segment;
  s.channel_bytes = channel_bytes;
  s.channels = count;
  s.key = address.key;
  return made;
}

std::uint64_t own_channels::channel_bytes() const noexcept { return memory_.at()->channel_bytes; }

std::optional<std::uint32_t> own_channels::take() noexcept {
  segment& s = *memory_.at();
  for (std::uint32_t n = 0; n < s.channels; ++n) {
    counts& c = s.of[n];
    if (is_held_[n] || c.taken.load(std::memory_order_acquire) != channels::ended) continue;
    is_held_[n] = true;
    // Continue behind the last payload: its lines are still in the receiver's caches, and evicting them costs more than
    // using others.
    began_[n] = (c.copied_in.load(std::memory_order_relaxed) + channels::line - 1) / channels::line * channels::line;
    c.copied_in.store(began_[n], std::memory_order_relaxed);
    c.taken.store(began_[n], std::memory_order_release);
    return n;
  }
  return {};
}

std::size_t own_channels::copy_in(std::uint32_t channel, std::span<const std::byte> left) noexcept {
  segment& s = *memory_.at();
  counts& c = s.of[channel];
  std::byte* const ring = s.channel(channel);
  std::uint64_t in = c.copied_in.load(std::memory_order_relaxed);
  const std::size_t most_now = std::min<std::uint64_t>(left.size(), s.channel_bytes);
  std::size_t done = 0;
  while (done < most_now) {
    const std::uint64_t taken = c.taken.load(std::memory_order_acquire);
    if (taken == channels::ended) return left.size();
    const std::uint64_t at = in % s.channel_bytes;
    const std::uint64_t now = std::min(
        {s.channel_bytes - (in - taken), s.channel_bytes - at, channels::step, std::uint64_t{most_now - done}});
    if (!now) break;
    base::copy_nontemporal(ring + at, left.data() + done, now);
    in += now, done += now;
    c.copied_in.store(in, std::memory_order_release);
  }
  return done;
}

bool own_channels::has_begun(std::uint32_t channel) const noexcept {
  return memory_.at()->of[channel].taken.load(std::memory_order_acquire) != began_[channel];
}

std::unique_ptr<peer_channels> peer_channels::find(const channels_address& there) {
  if (!there.host || there.host != channels::this_host()) return nullptr;
  const std::string path = "/proc/" + std::to_string(there.process) + "/fd/" + std::to_string(there.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat is = {};
  const bool is_whole = !fstat(file, &is) && static_cast<std::uint64_t>(is.st_size) == there.bytes &&
                        there.bytes >= channels::front_bytes;
  std::unique_ptr<peer_channels> found(is_whole ? new peer_channels(file, there.bytes) : nullptr);
  close(file);
  if (!found || !found->memory_.at() || found->memory_.at()->key != there.key) return nullptr;
  return found;
}

std::uint64_t peer_channels::copy_out(std::uint32_t channel, std::byte* target, std::uint64_t got,
                                      std::uint64_t bytes) noexcept {
  segment& s = *memory_.at();
  counts& c = s.of[channel];
  const std::byte* const ring = s.channel(channel);
  const std::uint64_t most_now = std::min(bytes, got + s.channel_bytes);
  std::uint64_t taken = c.taken.load(std::memory_order_relaxed);
  while (got < most_now) {
    const std::uint64_t at = taken % s.channel_bytes;
    const std::uint64_t now = std::min(
        {c.copied_in.load(std::memory_order_acquire) - taken, s.channel_bytes - at, channels::step, most_now - got});
    if (!now) break;
    base::copy_by_lines(target + got, ring + at, now);
    got += now, taken += now;
    c.taken.store(got == bytes ? channels::ended : taken, std::memory_order_release);
  }
  return got;
}

void peer_channels::drop(std::uint32_t channel) noexcept {
  memory_.at()->of[channel].taken.store(channels::ended, std::memory_order_release);
}

}  // namespace stretto::net
