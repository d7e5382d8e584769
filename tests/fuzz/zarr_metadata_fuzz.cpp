// zarr_metadata_fuzz.cpp - any text as zarr.json tells of an array, which is written and read again the same, or is
// refused.
#include <stretto/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "files/zarr_array.hpp"

using namespace stretto;

namespace {

/// Checks the conditions that upper floors rely on without a check of their own.
void require_usable(const files::zarr_array& a) {
  if (a.codecs.empty() || a.element_bytes == 0 || a.chunk.size() != a.shape.size()) std::abort();
  if (std::ranges::any_of(a.chunk, [](std::int64_t n) { return n < 1; }) ||
      std::ranges::any_of(a.shape, [](std::int64_t n) { return n < 0; }))
    std::abort();
  if (!a.origin.empty() && a.origin.size() != a.shape.size()) std::abort();
  if (!a.fill.empty() && a.fill.size() != a.element_bytes) std::abort();
  if (files::bytes_of_chunk(a) > std::uint64_t{1} << 40 || files::most_stored_bytes(a) < files::bytes_of_chunk(a))
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    files::zarr_array a = files::array_in({reinterpret_cast<const char*>(data), size}, "zarr.json");
    require_usable(a);
    files::chunk_name(a, a.chunk);
    if (a.element_bytes > 4096) return 0;  // the zero of such a type is written as text
    // Fill values, and names of chunks of another version, are read alone.
    a.fill.clear(), a.prefix = "c";
    const std::string text = files::text_of(a);
    if (files::text_of(files::array_in(text, "zarr.json")) != text) std::abort();
  } catch (const error& e) {
    if (e.code() != "F02" && e.code() != "F06") std::abort();
  }
  return 0;
}
