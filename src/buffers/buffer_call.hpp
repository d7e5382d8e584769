// buffer_call.hpp - what a call on buffers says that is the same on every node, as a value: hashed, and told to people.
//
// Threads     a value.
// Cost        hash: some ten ns, once for each call that is not known already. text: a string, for an error alone.
// Invariants  (1) nothing in it is of one process (addresses) or may differ by node: values of kernels, names that the program gives,
//             priorities, weights of devices.
#pragma once

#include <stretto/buffer.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/task.hpp"

namespace stretto::buffers {

struct buffer_call {
  enum class verb : std::uint8_t { launch, host_task, read, make, set_horizons, set_weights, save, epoch, end };

  struct use {
    std::uint32_t buffer = 0;
    std::uint8_t dimensions = 1;
    access how = access::in;
    detail::range_mapper by = {};  // without its function
    bool includes_current = true;  // of a reduction
  };

  verb what = verb::end;
  std::string name = {};       // of a kernel, a buffer that is made, a file
  std::uint64_t line = 0;      // of a kernel
  detail::nodes_of_task where = detail::nodes_of_task::chunks;
  std::uint32_t group_of_nodes = 0;  // of a collective task
  box range = {};              // of a buffer that is made or read, its elements
  bool is_in_groups = false;
  extent group = {};
  on_kinds kinds = {};         // on which it may run; none: any
  std::string driver = {};     // the same
  detail::range_hints hints = {};
  std::vector<use> uses = {};
  std::vector<graph::effect_use> effects = {};
  std::vector<double> numbers = {};  // of settings; of a buffer that is made: bytes of an element, axes, whether its content was given

  std::uint64_t hash() const;
  /// "launch of "blur" over [0, 64): reads B0 by neighborhood(1), writes B1 by one_to_one".
  std::string text() const;
};

/// Mixes what is said into a number, in its order; the same on every node.
class stable_hash {
 public:
  stable_hash& add(std::uint64_t word) noexcept {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15u;
    value_ ^= value_ >> 29;
    return *this;
  }
  stable_hash& add(std::string_view text) noexcept;
  stable_hash& add(const box& b) noexcept;
  std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0x243f6a8885a308d3u;
};

}  // namespace stretto::buffers
