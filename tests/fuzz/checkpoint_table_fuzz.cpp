// checkpoint_table_fuzz.cpp - any table of a checkpoint, with the checksum that belongs to it, is read and survives a
// round trip, or is refused.
#include <stretto/error.hpp>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>

#include "checkpoint/checkpoint_array.hpp"
#include "checkpoint/checkpoint_json.hpp"
#include "checkpoint/content_io.hpp"

using namespace stretto;

namespace {

/// Where a text has no place for a checksum, it is tried as it is.
std::string with_checksum_if_any(const std::string& text) {
  try {
    return checkpoints::with_checksum(text);
  } catch (const std::exception&) {
    return text;
  }
}

/// The computation of readers from a shape, before there is a file: it searches the table for each chunk, up to the
/// first that is missing.
void look_up_chunks(const detail::checkpoint_content& c, const std::string& array, const detail::saved_shape& shape) {
  const files::zarr_array a = checkpoints::array_of_shape(shape);
  if (checkpoints::elements_of(shape) && files::bytes_of_chunk(a) == 0) std::abort();
  checkpoints::require_chunks(c.directory, array, shape, [&](const std::string& file) {
    const auto found = c.files.find(file);
    if (found == c.files.end()) throw error("C02", "no such file");
    return found->second;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = with_checksum_if_any({reinterpret_cast<const char*>(data), size});
  try {
    const detail::checkpoint_content c = checkpoints::content_in(text, "run.ckpt");
    const std::string again = checkpoints::text_of(c);
    if (checkpoints::text_of(checkpoints::content_in(again, "run.ckpt")) != again) std::abort();
    for (const auto& [name, shape] : c.kept) look_up_chunks(c, checkpoints::array_of(name), shape);
  } catch (const error& e) {
    if (e.code() != "C02" && e.code() != "C06") std::abort();
  }
  return 0;
}
