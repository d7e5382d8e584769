#include "ranks/communicators/session.hpp"

#include <cstdint>
#include <string>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

const std::vector<std::string_view>& process_sets() {
  static const std::vector<std::string_view> names{"mpi://WORLD", "mpi://SELF"};
  return names;
}

group group_of_set(std::string_view name, const communicator& world, const communicator& self) {
  if (name == process_sets()[0]) return world.members().local;
  if (name == process_sets()[1]) return self.members().local;
  throw call_error(error_class::argument, "there is no process set \"" + std::string(name) + '"');
}

// FNV-1a.
int tag_of_text(std::string_view text) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (const char one : text) hash = (hash ^ static_cast<unsigned char>(one)) * 0x100'0000'01b3;
  return static_cast<int>((hash ^ hash >> 32) & 0x3fff'ffff);
}

}  // namespace stretto::ranks
