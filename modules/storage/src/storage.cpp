#include <stretto_storage/storage.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <stretto/platform.hpp>
#include <stretto/task.hpp>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "io_threads.hpp"
#include "transfer_channel.hpp"

namespace stretto {
namespace {

[[noreturn]] void fault(const char* what, const std::filesystem::path& path) {
  throw std::system_error(errno, std::generic_category(), std::string(what) + " " + path.string());
}

const file::opened& usable(const std::shared_ptr<file::opened>& f) {
  if (!f) throw std::logic_error("a default-made file was used: open one first");
  return *f;
}

}  // namespace

void* file::at(std::uint64_t offset) const {
  if (offset >> open_files::offset_bits) throw std::out_of_range("a file has addresses for 2^40 bytes");
  return reinterpret_cast<void*>(usable(opened_).number << open_files::offset_bits | offset);
}

// The precondition is read during the call only, so it is the copy that keeps the file open
// (transfer_channel::start); a deferred one finds it by its address, so the handle is kept until then by the task that
// waits.
event file::read(std::uint64_t offset, std::span<std::byte> into, const preconditions& after,
                 std::source_location where) const {
  const event e = async_copy(place{}, into.data(), usable(opened_).where, at(offset), into.size(), after, where);
  if (!e.has_triggered()) async(stretto::after(ignore_failure(e)), [keep = *this] {});
  return e;
}

event file::write(std::uint64_t offset, std::span<const std::byte> from, const preconditions& after,
                  std::source_location where) const {
  const event e = async_copy(usable(opened_).where, at(offset), place{}, from.data(), from.size(), after, where);
  if (!e.has_triggered()) async(stretto::after(ignore_failure(e)), [keep = *this] {});
  return e;
}

future<void> file::sync(const preconditions& after) const {
  const place where = usable(opened_).where;
  const auto flush = [keep = *this] {
    if (::fsync(keep.opened_->descriptor) != 0) fault("syncing", keep.opened_->path);
  };
  stretto::detail::task_request how;
  how.at = where;
  how.after = after.dependencies;
  how.after_events = after.events;
  how.profile = after.profile;
  return stretto::detail::spawn_as(how, flush, std::source_location::current());
}

std::uint64_t file::size() const {
  struct stat about;
  if (::fstat(usable(opened_).descriptor, &about) != 0) fault("asking the size of", opened_->path);
  return static_cast<std::uint64_t>(about.st_size);
}

namespace {

int flags_of(open_mode mode) noexcept {
  return (mode == open_mode::read    ? O_RDONLY
          : mode == open_mode::write ? O_RDWR
                                     : O_RDWR | O_CREAT | O_TRUNC) |
         O_CLOEXEC;
}

/// The host memories between which and files there are channels.
constexpr place_kind host_memories[] = {place_kind::system_memory, place_kind::numa, place_kind::pinned_memory};

}  // namespace

storage::storage(unsigned threads) : storage(storage_options{.threads = threads}) {}
storage::storage(storage_options options)
    : options_(std::move(options)), threads_(std::make_shared<io_threads>(options_.threads)) {}
storage::~storage() = default;

future<file> storage::open(std::filesystem::path path, open_mode mode, caching through, place at) {
  const place where = at ? at : where_;
  return async(at_place{where}, [files = files_, where, path = std::move(path), mode, through] {
    auto f = std::make_shared<file::opened>();
    f->of = files;
    f->path = path;
    f->where = where;
    f->descriptor = ::open(path.c_str(), flags_of(mode), 0666);
    if (f->descriptor < 0) fault("opening", path);
    if (through == caching::direct) {
      f->direct = ::open(path.c_str(), (flags_of(mode) & ~(O_CREAT | O_TRUNC)) | O_DIRECT);
      if (f->direct < 0) fault("opening for direct access", path);
    }
    files->add(f);
    return file(std::move(f));
  });
}

void storage::add_places(platform_description& machine) const {
  std::uint32_t memory = 0;
  for (std::uint32_t i = 0; i < machine.places.size(); ++i)
    if (machine.places[i].kind == place_kind::system_memory) memory = i;
  const auto has = [&](auto&& is_it) { return std::any_of(machine.places.begin(), machine.places.end(), is_it); };
  std::vector<storage_place> wanted = options_.places;
  if (wanted.empty() && !has([](const auto& p) { return p.kind == place_kind::storage; })) wanted.emplace_back();
  for (const storage_place& one : wanted) {
    if (has([&](const auto& p) { return p.kind == place_kind::storage && p.name == one.name; })) continue;
    place_description disk;
    disk.name = one.name;
    disk.kind = place_kind::storage;
    machine.places.push_back(disk);
    machine.links.push_back({place{memory}, place{static_cast<std::uint32_t>(machine.places.size() - 1)}, {}, {}});
  }
}

void storage::initialise(module_host& host) {
  const std::vector<place> mine = host.claim(place_kind::storage, threads_.get());
  where_ = mine.at(0);
  files_ = std::make_shared<open_files>();
  transfers_ = std::make_shared<transfer_channel>(files_);
  if (options_.engine != io_engine::threads) {
    std::string why_not;
    ring_ = make_ring([to = transfers_.get()] { to->poll_now(); }, why_not);
    engine_ = ring_ ? io_engine::ring : io_engine::threads;
    if (!ring_ && options_.engine == io_engine::ring) throw std::runtime_error(why_not);
  }
  for (const place at : mine) {
    const std::string name(host.machine().name(at));
    const auto simulated =
        std::find_if(options_.places.begin(), options_.places.end(), [&](const auto& p) { return p.name == name; });
    transfers_->add_disk(at, {simulated == options_.places.end() ? storage_place{} : *simulated,
                              host.add_statistic("reads", at), host.add_statistic("writes", at)});
  }
  for (const place_kind memory : host_memories) {
    host.add_channel(place_kind::storage, memory, transfers_);
    host.add_channel(memory, place_kind::storage, transfers_);
  }
  host.add_poller(*transfers_);
  threads_->count_in(host.add_statistic("tasks", where_));
  transfers_->use(ring_ ? *ring_ : *threads_);
}

void storage::started(runtime& owner) {
  threads_->start(owner, [to = transfers_] { to->poll_now(); });
}
void storage::finalise() {
  threads_->stop();
  transfers_->end();
  ring_.reset();
}

}  // namespace stretto
