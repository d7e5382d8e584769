// present_table.hpp - which memory of the host is present on a device, and where.
//
// Threads     one at a time uses a table.
// Cost        logarithmic in the number of mappings.
// Invariants  (1) mappings do not overlap, on the host nor on the device. (2) a mapping is in both maps.
// Source      OpenACC 3.3, section 2.6.7: data structures for data on the accelerator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace stretto::acc {

/// The host memory of a variable that has a copy on the device.
struct mapping {
  std::byte* host = nullptr;
  std::size_t bytes = 0;
  std::byte* device = nullptr;
  std::string name = {};        // of the variable, as in the source
  const char* where = "";       // the directive or function that has made it: "jacobi.c:23"
  unsigned structured = 0;      // data regions around the present point
  unsigned dynamic = 0;         // enter data without its exit data
  bool is_copied_last = false;  // to the host where it leaves: a copyout with finalize came inside of a region
  bool is_borrowed = false;     // the program gave the device memory: acc_map_data
  std::set<int> queues = {};    // that may have operations which use it
  std::map<std::byte*, unsigned> attached = {};  // pointers in the host memory whose copies point to device memory

  std::byte* end() const noexcept { return host + bytes; }
  bool is_shared() const noexcept { return device == host; }  // kernels use the memory of the host
  bool is_counted() const noexcept { return structured + dynamic > 0; }
};

class present_table {
 public:
  /// The mapping that holds all of [first, first + bytes); null if there is none. For no bytes: the mapping in which
  /// `first` is.
  ///   throws   O12 if a part of the range is present
  mapping* find(const std::byte* first, std::size_t bytes, const std::string& name, const char* where);
  /// The mapping in which an address of the host is; null if there is none.
  mapping* at_host(const std::byte* address) noexcept;
  /// The same for an address of the device.
  mapping* at_device(const std::byte* address) noexcept;

  /// No part of its memory may be present. The reference stays valid until remove().
  mapping& add(mapping one);
  void remove(const mapping& one);
  /// For messages and for the end of a program.
  std::vector<const mapping*> all() const;

 private:
  std::map<const std::byte*, mapping> by_host_;
  std::map<const std::byte*, mapping*> by_device_;
};

/// The address on the device of an address within the mapping's host memory.
inline std::byte* device_address(const mapping& in, const std::byte* host) noexcept {
  return in.device + (host - in.host);
}

/// A range of memory, for messages: "[0x7f..., 0x7f...), 800 bytes".
std::string range_text(const std::byte* first, std::size_t bytes);

}  // namespace stretto::acc
