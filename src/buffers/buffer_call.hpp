// buffer_call.hpp - the arguments of a call on buffers that must be the same on every node, as a value with a hash and
// a text.
//
// Threads     a value.
// Cost        hash: tens of ns, once for each new call. text: a string, for errors only.
// Invariants  (1) it contains nothing local to a process (addresses) and nothing that may differ between nodes: kernel
//             values, names given by the program, priorities, weights of devices.
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
    detail::range_mapper by = {};  // without its custom function
    bool includes_current = true;  // for a reduction
  };

  verb what = verb::end;
  std::string name = {};   // name of a kernel, a new buffer or a file
  std::uint64_t line = 0;  // line of a kernel
  detail::nodes_of_task where = detail::nodes_of_task::chunks;
  std::uint32_t group_of_nodes = 0;  // group of a collective task
  box range = {};                    // for a buffer that is made or read: its elements
  bool is_in_groups = false;
  extent group = {};
  on_kinds kinds = {};      // kinds of devices on which it may run; none: any
  std::string driver = {};  // device driver, likewise
  detail::range_hints hints = {};
  std::vector<use> uses = {};
  std::vector<graph::effect_use> effects = {};
  // values of settings; for a new buffer: bytes of an element, axes, whether it has initial data
  std::vector<double> numbers = {};

  std::uint64_t hash() const;
  /// "launch of "blur" over [0, 64): reads B0 by neighborhood(1), writes B1 by one_to_one".
  std::string text() const;
};

/// A hash of a sequence of fields, the same on every node.
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
