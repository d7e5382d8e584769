// handlers.hpp - what a node can be asked to do: handlers by name, numbered alike on every node; and what else nodes have alike.
//
// Threads     add before the transport is made; afterwards nothing changes and any thread may look.
// Invariants  (1) numbers follow the names' order, so that nodes which know the same names agree on the numbers.
#pragma once

#include <stretto/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  /// What every node must have the same of, as ("program", "wave, build 5f21c0de"). Transports compare it where nodes meet.
  void must_agree(std::string what, std::string value);
  /// The same of an option, as ("balance", "greedy").
  void must_agree_on_option(std::string name, std::string value);
  /// No more will come: numbers are given. Called by a transport; again, it does nothing.
  void close();

  /// N03 if there is none of that name.
  handler_number number(std::string_view name) const;
  std::size_t size() const noexcept { return all_.size(); }
  const std::string& name(handler_number n) const noexcept { return all_[n].name; }
  void run(handler_number n, arrival& a) const { all_[n].f(all_[n].owner, a); }

  /// Equal where the names and all that must agree are, and different almost surely where they are not (FNV-1a).
  std::uint64_t digest() const noexcept;
  /// What must agree, for people: a line "what\tvalue" each, of at most `most` bytes.
  std::string description(std::size_t most) const;

 private:
  struct entry {
    std::string name;
    void* owner;
    function f;
  };
  std::uint64_t digest_of_names() const noexcept;

  std::vector<entry> all_;
  std::vector<std::pair<std::string, std::string>> alike_;
  bool is_closed_ = false;
};

/// Of two nodes whose digests differ, with each line of what they tell that is not the same: N06, or N15 where all are options.
error build_mismatch(node_number one, std::string_view one_description, node_number other, std::string_view other_description);

}  // namespace stretto::net
