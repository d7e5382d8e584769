// shared_window.hpp - a window in memory that the processes of one host share: accessed by plain loads and stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "net/transport.hpp"
#include "net/window.hpp"

namespace stretto::net::mpi {

/// The memory starts as zeros, as the system provides it.
class shared_window final : public window {
 public:
  shared_window(std::uint64_t bytes, std::vector<void*> of_each) : bytes_(bytes), of_each_(std::move(of_each)) {}

  std::uint64_t bytes() const noexcept override { return bytes_; }
  void put(node_number to, std::uint64_t offset, std::span<const std::byte> from, places::completion& done) override {
    if (!from.empty()) std::memcpy(at(to, offset), from.data(), from.size());
    end(done);
  }
  void get(node_number from, std::uint64_t offset, std::span<std::byte> into, places::completion& done) override {
    if (!into.empty()) std::memcpy(into.data(), at(from, offset), into.size());
    end(done);
  }

 private:
  std::byte* at(node_number node, std::uint64_t offset) const noexcept {
    return static_cast<std::byte*>(of_each_[node]) + offset;
  }

  const std::uint64_t bytes_;
  const std::vector<void*> of_each_;
};

}  // namespace stretto::net::mpi
