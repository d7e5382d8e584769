// recording_accelerator.hpp - an accelerator with memory of its own, which records what is done with it.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "acc/accelerator.hpp"
#include "acc/gang_arguments.hpp"

namespace stretto::test {

class recording_accelerator final : public acc::accelerator {
 public:
  /// capacity: bytes of memory
  explicit recording_accelerator(std::size_t capacity = std::size_t{1} << 20) noexcept : free_(capacity) {}

  /// New memory has this value.
  static constexpr std::byte unset{0xa5};

  /// "to device 8", "to host 8", "clear 8", "release", in their order.
  std::vector<std::string> take_record() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(record_, {});
  }
  /// Operations on memory that is not allocated.
  int misuses() const noexcept { return misuses_; }

  bool follows = true;  // pointers in its memory work
  bool shares = false;  // kernels use the memory of the host
  place memory() const override { return {}; }
  bool share(std::byte* host, std::size_t bytes) noexcept override {
    const std::scoped_lock lock(mutex_);
    if (shares) shared_[host] = bytes;
    return shares;
  }
  std::size_t shared_count() const { return shared_.size(); }

  const acc::accelerator_facts& facts() const noexcept override { return facts_; }
  bool follows_pointers() const noexcept override { return follows; }
  bool shares_host_memory() const noexcept override { return false; }
  std::byte* allocate(std::size_t bytes) noexcept override {
    const std::scoped_lock lock(mutex_);
    if (bytes > free_) return nullptr;
    free_ -= bytes;
    allocated_ += bytes;
    auto memory = std::make_unique<std::byte[]>(bytes);
    std::byte* const first = memory.get();
    std::fill_n(first, bytes, unset);
    blocks_[first] = {bytes, std::move(memory)};
    return first;
  }
  void release(std::byte* memory) noexcept override {
    const std::scoped_lock lock(mutex_);
    if (shared_.erase(memory) > 0) return;
    const auto found = blocks_.find(memory);
    if (found == blocks_.end()) {
      ++misuses_;
      return;
    }
    free_ += found->second.bytes;
    allocated_ -= found->second.bytes;
    blocks_.erase(found);
    record_.push_back("release");
  }
  std::size_t allocated_bytes() const noexcept override { return allocated_; }

  void copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) override {
    if (is_usable("to device", device, bytes)) std::memcpy(device, host, bytes);
  }
  void copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) override {
    if (is_usable("to host", device, bytes)) std::memcpy(host, device, bytes);
  }
  void copy_within(std::byte* to, const std::byte* from, std::size_t bytes) override {
    if (is_usable("within", to, bytes) && is_usable("from", from, bytes)) std::memmove(to, from, bytes);
  }
  void clear(std::byte* device, std::size_t bytes) override {
    if (is_usable("clear", device, bytes)) std::memset(device, 0, bytes);
  }
  void launch(const acc::gang_launch& launch) override {
    const long gangs = std::max(launch.gangs, 1L);
    for (long gang = 0; gang < gangs; ++gang) launch.kernel(launch.arguments.pointers(), gang, gangs);
  }

 private:
  struct block {
    std::size_t bytes = 0;
    std::unique_ptr<std::byte[]> memory;
  };

  bool is_usable(const char* operation, const std::byte* device, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    record_.push_back(std::string(operation) + " " + std::to_string(bytes));
    auto next = blocks_.upper_bound(const_cast<std::byte*>(device));
    if (next != blocks_.begin() && device + bytes <= std::prev(next)->first + std::prev(next)->second.bytes)
      return true;
    ++misuses_;
    return false;
  }

  const acc::accelerator_facts facts_;
  std::mutex mutex_;
  std::size_t free_, allocated_ = 0;
  std::map<std::byte*, block> blocks_;
  std::map<std::byte*, std::size_t> shared_;  // memory of the host
  std::vector<std::string> record_;
  int misuses_ = 0;
};

}  // namespace stretto::test
