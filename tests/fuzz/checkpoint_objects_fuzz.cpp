// checkpoint_objects_fuzz.cpp - any list of mobile objects of a checkpoint is read and survives a round trip, or is
// refused.
#include <stretto/error.hpp>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "checkpoint/object_list.hpp"

using namespace stretto;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto all = checkpoints::objects_in({reinterpret_cast<const char*>(data), size}, 1, "node1.json");
    const std::string text = checkpoints::text_of(all);
    if (checkpoints::text_of(checkpoints::objects_in(text, 1, "node1.json")) != text) std::abort();
    for (const checkpoints::listed_object& o : all)
      if (o.content.offset + o.content.bytes < o.content.offset) std::abort();
  } catch (const error& e) {
    if (e.code() != "C02") std::abort();
  }
  return 0;
}
