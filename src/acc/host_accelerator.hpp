// host_accelerator.hpp - the cores of the host as an accelerator: gangs are run by tasks on all workers.
//
// Threads     as accelerator.
// Cost        a launch is a task for each worker but one; the caller runs a part of the gangs itself. Less work than
//             a task costs is one gang. While no worker is idle the caller runs all gangs, one after another.
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "acc/accelerator.hpp"
#include "acc/array_part.hpp"

namespace stretto::acc {

class host_accelerator final : public accelerator {
 public:
  /// is_discrete: kernels have memory of their own, as on a graphics card. For tests of programs.
  explicit host_accelerator(bool is_discrete);

  const accelerator_facts& facts() const noexcept override { return facts_; }
  bool shares_host_memory() const noexcept override { return !is_discrete_; }
  bool follows_pointers() const noexcept override { return true; }
  std::byte* allocate(std::size_t bytes) noexcept override;
  void release(std::byte* memory) noexcept override;
  std::size_t allocated_bytes() const noexcept override { return allocated_; }
  place memory() const override;
  void copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) override;
  void copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) override;
  void copy_within(std::byte* to, const std::byte* from, std::size_t bytes) override;
  void clear(std::byte* device, std::size_t bytes) override;
  void launch(const gang_launch& launch) override;
  /// The same with the arguments as the kernel takes them.
  static void run(void (*kernel)(void**, long, long), void** arguments, long gangs, long work);

 private:
  const bool is_discrete_;
  const accelerator_facts facts_;
  std::mutex mutex_;
  std::map<std::byte*, byte_range> blocks_;  // with the pages that each has
  std::atomic<std::size_t> allocated_ = 0;
};

}  // namespace stretto::acc
