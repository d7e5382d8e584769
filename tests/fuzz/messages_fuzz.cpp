// messages_fuzz.cpp - any bytes as a message of any kind: refused, or a message that is read as it is written. The
// first line names the kind.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "../dist/registered_messages.hpp"

using namespace stretto;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<dist::message_type> types = test::registered_messages();
  static const test::receiving_node receiver;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view name = text.substr(0, text.find('\n'));
  const auto named = std::ranges::find(types, name, &dist::message_type::name);
  // A changed name is still one of a kind.
  const std::size_t some = name.empty() ? 0 : static_cast<std::uint8_t>(name.back()) + name.size();
  const dist::message_type& type = named != types.end() ? *named : types[some % types.size()];
  const auto bytes = std::as_bytes(std::span(text.substr(std::min(name.size() + 1, size))));

  const auto is_sound = [&](std::span<const std::byte> message) {
    const test::reading is = test::read_and_encode(type, receiver.environment(), message);
    if (is != test::reading::sound && is != test::reading::refused) std::abort();
    return is == test::reading::sound;
  };
  is_sound(bytes);
  if (!is_sound(type.from_prefix(receiver.environment(), test::exact_copy(bytes).bytes()))) std::abort();
  return 0;
}
