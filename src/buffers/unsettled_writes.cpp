#include "buffers/unsettled_writes.hpp"

#include <algorithm>

namespace stretto::buffers {
namespace {

constexpr std::size_t most_boxes = 64;  // of an allocation; more are merged into one

}  // namespace

void unsettled_writes::settle(writes& in) {
  std::erase_if(in.all, [](const write& w) { return has_succeeded(w.end); });
  in.settle_at = std::max<std::size_t>(8, 2 * in.all.size());
  in.bounds = {};
  for (const write& w : in.all) in.bounds = hull(in.bounds, w.part);
}

void unsettled_writes::merge_all(writes& in) {
  std::vector<event> ends;
  for (const write& w : in.all) ends.push_back(w.end);
  in.all.assign(1, {in.bounds, merge(ends)});
}

void unsettled_writes::cut_out(std::vector<write>& in, const box& part) {
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
    if (rest.empty() || has_succeeded(cut.end)) continue;
    for (const box& b : rest) in.push_back({b, cut.end});  // these are disjoint from `part`
  }
}

void unsettled_writes::wrote(number allocation, const box& part, event end) {
  if (part.is_empty()) return;
  writes& of = all_[allocation];
  if (of.bounds.meets(part)) cut_out(of.all, part);
  if (has_succeeded(end)) return;
  of.all.push_back({part, end});
  of.bounds = hull(of.bounds, part);
  if (of.all.size() >= of.settle_at) settle(of);
  if (of.all.size() > most_boxes) merge_all(of);
}

void unsettled_writes::before_reading(number allocation, const box& part, std::vector<event>& out) {
  const auto found = all_.find(allocation);
  if (found == all_.end() || !found->second.bounds.meets(part)) return;
  for (const write& w : found->second.all)
    if (w.part.meets(part) && !has_succeeded(w.end)) out.push_back(w.end);
}

void unsettled_writes::settle() {
  for (auto& [allocation, in] : all_) settle(in);
  std::erase_if(all_, [](const auto& one) { return one.second.all.empty(); });
}

std::size_t unsettled_writes::size() const noexcept {
  std::size_t n = 0;
  for (const auto& [allocation, in] : all_) n += in.all.size();
  return n;
}

}  // namespace stretto::buffers
