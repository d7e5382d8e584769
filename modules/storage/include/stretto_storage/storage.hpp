// storage.hpp - files as bytes at a place: read and written by io_uring or by I/O threads, ordered by events.
//
// Threads     every member of storage and file: any thread of the runtime that the module is of.
// Memory      what a read brought is visible once its event has triggered.
// Cost        a read or write: an async_copy; with io_uring a system call for several of them, with threads one on an
//             I/O thread. No worker blocks.
// Invariants  (1) reads and writes of the same bytes are ordered by events, or not at all. (2) a file stays open until
//             the last copy of its handle is destroyed and the last read or write that was submitted has ended.
#pragma once

#include <stretto/async_copy.hpp>
#include <stretto/future.hpp>
#include <stretto/module.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stretto {

class engine;
class io_threads;
class open_files;
class transfer_channel;

enum class open_mode { read, write, create };  // write: also read; create: also empties what is there

/// direct: reads and writes bypass the system's page cache (O_DIRECT). Any offset, size and address in memory works:
/// blocks of 4 KiB that are wholly read or written go directly, through an aligned buffer where the memory is not
/// aligned, and what is left at both ends goes through the cache.
enum class caching { cached, direct };

/// automatic: ring where the kernel allows io_uring and the module was built with liburing, else threads.
enum class io_engine { automatic, threads, ring };

/// An open file. A value: copies mean the same file.
class file {
 public:
  file() noexcept = default;

  /// The address of a byte at the storage place, for async_copy. At most 2^40 - 1.
  void* at(std::uint64_t offset) const;

  /// Fills `into` from `offset` on. Poisoned with std::system_error, or where the file ends before.
  event read(std::uint64_t offset, std::span<std::byte> into, const preconditions& after = {},
             std::source_location where = std::source_location::current()) const;
  /// Writes `from`; the file grows as needed.
  event write(std::uint64_t offset, std::span<const std::byte> from, const preconditions& after = {},
              std::source_location where = std::source_location::current()) const;
  /// Ready when all that has been written is on the disk.
  future<void> sync(const preconditions& after = {}) const;
  /// Bytes in it now. A system call that does not wait for the disk.
  std::uint64_t size() const;

  struct opened;

 private:
  friend class storage;
  explicit file(std::shared_ptr<opened> o) noexcept : opened_(std::move(o)) {}
  std::shared_ptr<opened> opened_;
};

/// A storage place, and the speed that its reads and writes have at most, to simulate other storage. Both times refer
/// to the clock of the runtime.
struct storage_place {
  std::string name = "disk";
  std::chrono::nanoseconds latency{};  // of each read or write, at least
  double bytes_per_second = 0;         // of all of them together; 0: as fast as they are
};

struct storage_options {
  unsigned threads = 2;  // for tasks at the places, and for reads and writes without io_uring
  io_engine engine = io_engine::automatic;
  std::vector<storage_place> places = {};  // none: the storage places of the platform, or one named "disk"
};

/// The module.
///
///     auto disks = std::make_shared<stretto::storage>();
///     stretto::runtime rt({.modules = {disks}});
///     rt.run([&] {
///       auto f = disks->open("u.bin", stretto::open_mode::create).get();
///       wait(f.write(0, std::as_bytes(std::span(u))));
///     });
class storage final : public module {
 public:
  explicit storage(unsigned threads = 2);
  explicit storage(storage_options options);
  ~storage() override;

  /// Opens it on an I/O thread. The future throws std::system_error. Without a place it is where() that holds the file.
  future<file> open(std::filesystem::path path, open_mode mode, caching through = caching::cached, place at = {});
  /// Where its tasks and bytes are: the first storage place.
  place where() const noexcept { return where_; }
  /// The engine in use, from the start of the runtime on: threads or ring.
  io_engine engine() const noexcept { return engine_; }

  std::string_view name() const noexcept override { return "storage"; }
  void add_places(platform_description& machine) const override;
  void initialise(module_host& host) override;
  void started(runtime& owner) override;
  void finalise() override;

 private:
  const storage_options options_;
  std::shared_ptr<io_threads> threads_;
  std::shared_ptr<open_files> files_;
  std::shared_ptr<stretto::engine> ring_;  // null: the threads move bytes
  std::shared_ptr<transfer_channel> transfers_;
  place where_;
  io_engine engine_ = io_engine::threads;
};

}  // namespace stretto
