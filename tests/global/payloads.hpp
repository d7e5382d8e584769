// payloads.hpp - test data to send, and the elements of received data.
#pragma once

#include <stretto/copy.hpp>
#include <stretto/received_buffer.hpp>

#include <numeric>
#include <vector>

namespace stretto::test {

inline std::vector<int> counted_from(int first, coordinate n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), first);
  return all;
}
inline std::vector<int> content_of(const instance<int>& i) {
  std::vector<int> all(i.elements().volume());
  const auto here = instance<int>::external(all.data(), i.elements());
  wait(copy(i, here));
  here.destroy();
  return all;
}
inline std::vector<int> content_here(const received_buffer<int>& b) { return content_of(b.elements()); }

}  // namespace stretto::test
