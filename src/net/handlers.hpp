// handlers.hpp - the message handlers of a node, by name and with the same numbers on every node; and the values on
// which all nodes must agree.
//
// Threads     add before the transport is made; afterwards nothing changes and any thread may read.
// Invariants  (1) numbers follow the order of names, so that nodes with the same names have the same numbers.
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

/// A received message, as its handler sees it. `head` is valid during the call only. A handler that cannot read the
/// message sets is_malformed: the transport reports that (transport::on_malformed).
struct arrival {
  node_number from;
  std::span<const std::byte> head;
  payload& rest;
  bool is_malformed = false;
};

class handlers {
 public:
  using function = void (*)(void* owner, arrival& a);

  /// Throws N01 if the name is taken.
  void add(std::string name, void* owner, function f);
  /// A value that must be the same on every node, as ("program", "wave, build 5f21c0de"). Transports compare these when
  /// nodes connect.
  void must_agree(std::string what, std::string value);
  /// The same for an option, as ("balance", "greedy").
  void must_agree_on_option(std::string name, std::string value);
  /// No more handlers will be added: assigns the numbers. A transport calls it; further calls do nothing.
  void close();

  /// Throws N03 if there is no handler of that name.
  handler_number number(std::string_view name) const;
  /// The error N03, with the nearest name that has a handler.
  error no_handler(std::string_view name) const;
  std::size_t size() const noexcept { return all_.size(); }
  const std::string& name(handler_number n) const noexcept { return all_[n].name; }
  void run(handler_number n, arrival& a) const { all_[n].f(all_[n].owner, a); }

  /// Equal on two nodes if names and required values are equal; otherwise almost certainly different (FNV-1a).
  std::uint64_t digest() const noexcept;
  /// The required values as text: a line "what\tvalue" each, at most `most` bytes in all.
  std::string description(std::size_t most) const;

 private:
  struct entry {
    std::string name;
    void* owner;
    function f;
  };
  std::uint64_t digest_of_names() const noexcept;

  std::vector<entry> all_;
  std::vector<std::pair<std::string, std::string>> required_;
  bool is_closed_ = false;
};

/// The error for two nodes whose digests differ, with each line of their descriptions that differs: N06, or N15 if all
/// of these are options.
error build_mismatch(node_number one, std::string_view one_description, node_number other,
                     std::string_view other_description);

}  // namespace stretto::net
