#include "buffers/launch_cache.hpp"

namespace stretto::buffers {

void launch_key::add(const detail::range_mapper& m) {
  using kind = detail::range_mapper::kind;
  add(static_cast<std::uint64_t>(m.is));
  switch (m.is) {
    case kind::neighborhood:
    case kind::star:
    case kind::wrapped: return add(m.border);
    case kind::slice: return add(static_cast<std::uint64_t>(m.axis));
    case kind::fixed: return add(m.always);
    case kind::transposed:
      return add(std::uint64_t{m.by[0]} | std::uint64_t{m.by[1]} << 8 | std::uint64_t{m.by[2]} << 16);
    case kind::custom:
      has_functions_ = true;
      is_cacheable_ = is_cacheable_ && m.lasts;
      return add(m.custom.get());
    case kind::one_to_one:
    case kind::all:
    case kind::even_split: return;
  }
}

std::uint64_t launch_key::hash() const noexcept {
  std::uint64_t h = fields_.size();
  for (const std::uint64_t w : fields_) {
    h = (h ^ w) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h;
}

}  // namespace stretto::buffers
