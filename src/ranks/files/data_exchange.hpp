// data_exchange.hpp - how the ranks of a file exchange data in a collective access.
//
// `process` implements it by collectives; tests do so in memory.
//
// Threads     one thread of each rank; all call the same functions in the same order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stretto::ranks {

using exchanged_data = std::vector<std::byte>;

class data_exchange {
 public:
  virtual ~data_exchange() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// The bytes of all ranks, in their order. All pass equally many.
  virtual exchanged_data gather(std::span<const std::byte> own) = 0;
  /// Sends some bytes to each rank; returns what each has sent to this one.
  virtual std::vector<exchanged_data> exchange(const std::vector<exchanged_data>& to_each) = 0;
};

}  // namespace stretto::ranks
