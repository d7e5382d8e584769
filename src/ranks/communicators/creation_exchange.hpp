// creation_exchange.hpp - how ranks exchange small values while they create a communicator.
//
// `collectives` implements it over messages; tests do so in memory.
//
// Threads     one thread of each rank concerned; all call the same functions in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace stretto::ranks {

/// Among the ranks of the old communicator, or of a group. For an intercommunicator: among those of the local group.
class creation_exchange {
 public:
  virtual ~creation_exchange() = default;

  /// Replaces each value by the bitwise AND of that of all ranks.
  virtual void combine(std::span<std::uint64_t> values) = 0;
  /// The bytes of all ranks, in their order. All pass equally many.
  virtual std::vector<std::byte> gather(std::span<const std::byte> own) = 0;
  /// Of intercommunicators: all ranks of a side pass the same bytes and get those of the other side, which may be more
  /// or fewer.
  virtual std::vector<std::byte> trade(std::span<const std::byte> own) = 0;
};

template <class Value>
std::vector<std::byte> bytes_of(std::span<const Value> values) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

template <class Value>
std::vector<Value> values_of(std::span<const std::byte> bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
  return values;
}

/// One value of each rank.
template <class Value>
std::vector<Value> gather_value(creation_exchange& exchange, const Value& own) {
  return values_of<Value>(exchange.gather(bytes_of(std::span(&own, 1))));
}

/// Values of the other side.
template <class Value>
std::vector<Value> trade_values(creation_exchange& exchange, const std::vector<Value>& own) {
  return values_of<Value>(exchange.trade(bytes_of(std::span(own))));
}

/// The values of all ranks, in their order, however many each has.
template <class Value>
std::vector<Value> gather_lists(creation_exchange& exchange, const std::vector<Value>& own) {
  const std::vector<std::uint64_t> lengths = gather_value(exchange, std::uint64_t{own.size()});
  std::uint64_t longest = 0;
  for (const std::uint64_t length : lengths) longest = length > longest ? length : longest;
  std::vector<Value> padded = own, all;
  padded.resize(longest);
  const auto gathered = values_of<Value>(exchange.gather(bytes_of(std::span<const Value>(padded))));
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    const auto begin = gathered.begin() + static_cast<std::ptrdiff_t>(rank * longest);
    all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(lengths[rank]));
  }
  return all;
}

}  // namespace stretto::ranks
