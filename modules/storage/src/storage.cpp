#include <stretto_storage/storage.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <stretto/platform.hpp>
#include <stretto/task.hpp>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "io_threads.hpp"

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
  if (offset >> io_threads::offset_bits) throw std::out_of_range("a file has addresses for 2^40 bytes");
  return reinterpret_cast<void*>(usable(opened_).number << io_threads::offset_bits | offset);
}

// The precondition is looked at during the call only, so it is the copy that keeps the file open (io_threads::start); a
// deferred one finds it by its address, so the handle is kept until then by the task that waits.
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

storage::storage(unsigned threads) : threads_(std::make_shared<io_threads>(threads ? threads : 1)) {}
storage::~storage() = default;

future<file> storage::open(std::filesystem::path path, open_mode mode) {
  return async(at_place{where_}, [threads = threads_, where = where_, path = std::move(path), mode] {
    auto f = std::make_shared<file::opened>();
    f->of = threads;
    f->path = path;
    f->where = where;
    const int flags = mode == open_mode::read    ? O_RDONLY
                      : mode == open_mode::write ? O_RDWR
                                                 : O_RDWR | O_CREAT | O_TRUNC;
    f->descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (f->descriptor < 0) fault("opening", path);
    threads->add(f);
    return file(std::move(f));
  });
}

void storage::add_places(platform_description& machine) const {
  std::uint32_t memory = 0;
  for (std::uint32_t i = 0; i < machine.places.size(); ++i) {
    if (machine.places[i].kind == place_kind::storage) return;
    if (machine.places[i].kind == place_kind::system_memory) memory = i;
  }
  place_description disk;
  disk.name = "disk";
  disk.kind = place_kind::storage;
  machine.places.push_back(disk);
  machine.links.push_back({place{memory}, place{static_cast<std::uint32_t>(machine.places.size() - 1)}, {}, {}});
}

void storage::initialise(module_host& host) {
  const std::vector<place> mine = host.claim(place_kind::storage, threads_.get());
  where_ = mine.at(0);
  threads_->at_places(mine);
  for (const place_kind memory : {place_kind::system_memory, place_kind::numa, place_kind::pinned_memory}) {
    host.add_channel(place_kind::storage, memory, threads_);
    host.add_channel(memory, place_kind::storage, threads_);
  }
  host.add_poller(*threads_);
  const statistic reads = host.add_statistic("reads", where_), writes = host.add_statistic("writes", where_);
  threads_->count_in(reads, writes, host.add_statistic("tasks", where_));
}

void storage::started(runtime& owner) { threads_->begin(owner); }
void storage::finalise() { threads_->end(); }

}  // namespace stretto
