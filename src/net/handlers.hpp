// handlers.hpp - what a node can be asked to do: handlers by name, numbered alike on every node.
//
// Threads     add before the transport is made; afterwards nothing changes and any thread may look.
// Invariants  (1) numbers follow the names' order, so that nodes which know the same names agree on the numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::net {

using node_number = std::uint16_t;
using handler_number = std::uint16_t;

class payload;

/// What has come, as its handler sees it. `head` ends with the call.
struct arrival {
  node_number from;
  std::span<const std::byte> head;
  payload& rest;
};

class handlers {
 public:
  using function = void (*)(void* owner, arrival& a);

  /// Throws N01 if the name is taken.
  void add(std::string name, void* owner, function f);
  /// No more will come: numbers are given. Called by a transport; again, it does nothing.
  void close();

  /// N03 if there is none of that name.
  handler_number number(std::string_view name) const;
  std::size_t size() const noexcept { return all_.size(); }
  const std::string& name(handler_number n) const noexcept { return all_[n].name; }
  void run(handler_number n, arrival& a) const { all_[n].f(all_[n].owner, a); }

  /// Equal where the names are, and different almost surely where they are not (FNV-1a over all names).
  std::uint64_t digest() const noexcept;

 private:
  struct entry {
    std::string name;
    void* owner;
    function f;
  };
  std::vector<entry> all_;
  bool is_closed_ = false;
};

}  // namespace stretto::net
