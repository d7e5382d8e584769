// platform_fuzz.cpp - any bytes, read as a locality graph, either load and survive a round trip or are refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stretto/error.hpp>
#include <stretto/platform.hpp>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto p = stretto::platform::parse(text, "fuzz.json");
    if (!(stretto::platform::parse(p.to_json()) == p)) std::abort();
    p.to_tree();
    p.to_dot();
    for (const auto from : p.memories()) {
      p.affinities(from);
      break;  // one is enough for each input: all pairs would make large graphs slow
    }
  } catch (const stretto::error& e) {
    if (e.code().size() != 3 || e.code()[0] != 'P') std::abort();
  }
  return 0;
}
