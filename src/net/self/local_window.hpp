// local_window.hpp - the window of a job with one node: put and get copy before they return.
#pragma once

#include <cstring>

#include "net/mapped_memory.hpp"
#include "net/transport.hpp"

namespace stretto::net::self {

class local_window final : public window {
 public:
  explicit local_window(std::uint64_t bytes) : memory_(bytes) {}

  std::uint64_t bytes() const noexcept override { return memory_.size(); }
  void put(node_number, std::uint64_t offset, std::span<const std::byte> from, places::completion& done) override {
    if (!from.empty()) std::memcpy(memory_.data() + offset, from.data(), from.size());
    end(done);
  }
  void get(node_number, std::uint64_t offset, std::span<std::byte> into, places::completion& done) override {
    if (!into.empty()) std::memcpy(into.data(), memory_.data() + offset, into.size());
    end(done);
  }

 private:
  mapped_memory memory_;
};

}  // namespace stretto::net::self
