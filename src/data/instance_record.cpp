#include "data/instance_record.hpp"

namespace stretto::detail {

std::string describe(const instance_record& r) {
  if (r.is_bare) return "bytes at \"" + std::string(r.name.data()) + "\"";
  return r.name[0] ? "instance \"" + std::string(r.name.data()) + "\"" : "instance I" + std::to_string(r.number);
}

}  // namespace stretto::detail
