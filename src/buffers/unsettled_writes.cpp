#include "buffers/unsettled_writes.hpp"

#include <algorithm>

namespace stretto::buffers {
namespace {

constexpr std::size_t most_apart = 64;

box bounds_of(const box& a, const box& b) {
  point min, max;
  for (int axis = 0; axis < max_axes; ++axis) {
    min[axis] = std::min(a.min()[axis], b.min()[axis]);
    max[axis] = std::max(a.max()[axis], b.max()[axis]);
  }
  return box::between(min, max);
}

}  // namespace

void unsettled_writes::settle(std::vector<write>& in) {
  std::erase_if(in, [](const write& w) { return has_succeeded(w.end); });
}

void unsettled_writes::join(std::vector<write>& in) {
  std::vector<event> ends;
  box all = in.front().part;
  for (const write& w : in) ends.push_back(w.end), all = bounds_of(all, w.part);
  in.assign(1, {all, merge(ends)});
}

void unsettled_writes::wrote(number allocation, const box& part, event end) {
  std::vector<write>& in = all_[allocation];
  settle(in);
  std::vector<box> rest;
  for (std::size_t i = 0; i < in.size();) {
    if (!in[i].part.meets(part)) {
      ++i;
      continue;
    }
    const write cut = in[i];
    in[i] = in.back();
    in.pop_back();
    rest.clear();
    difference(cut.part, part, rest);
    for (const box& b : rest) in.push_back({b, cut.end});  // which do not meet it
  }
  if (!has_succeeded(end)) in.push_back({part, end});
  if (in.size() > most_apart) join(in);
}

void unsettled_writes::before_reading(number allocation, const box& part, std::vector<event>& out) {
  const auto found = all_.find(allocation);
  if (found == all_.end()) return;
  settle(found->second);
  for (const write& w : found->second)
    if (w.part.meets(part)) out.push_back(w.end);
}

void unsettled_writes::settle() {
  for (auto& [allocation, in] : all_) settle(in);
  std::erase_if(all_, [](const auto& one) { return one.second.empty(); });
}

std::size_t unsettled_writes::size() const noexcept {
  std::size_t n = 0;
  for (const auto& [allocation, in] : all_) n += in.size();
  return n;
}

}  // namespace stretto::buffers
