// storage.hpp - files as bytes at a place: read and written by I/O threads, ordered by events.
//
// Threads     every member of storage and file: any thread of the runtime that the module is of.
// Memory      what a read brought is visible once its event has triggered.
// Cost        a read or write: an async_copy and a system call on an I/O thread; no worker blocks.
// Invariants  (1) reads and writes of the same bytes are ordered by events, or not at all. (2) a file stays open until
//             the last copy of its handle is gone and the last read or write that was submitted has ended.
#pragma once

#include <stretto/async_copy.hpp>
#include <stretto/future.hpp>
#include <stretto/module.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace stretto {

class io_threads;

enum class open_mode { read, write, create };  // write: also read; create: also empties what is there

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
  ~storage() override;

  /// Opens it on an I/O thread. The future throws std::system_error.
  future<file> open(std::filesystem::path path, open_mode mode);
  /// Where its tasks and bytes are: the first storage place.
  place where() const noexcept { return where_; }

  std::string_view name() const noexcept override { return "storage"; }
  void add_places(platform_description& machine) const override;
  void initialise(module_host& host) override;
  void started(runtime& owner) override;
  void finalise() override;

 private:
  std::shared_ptr<io_threads> threads_;
  place where_;
};

}  // namespace stretto
