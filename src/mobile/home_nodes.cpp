#include "mobile/home_nodes.hpp"

namespace stretto::mobiles {

std::map<std::uint16_t, rank> home_nodes::all() const {
  std::map<std::uint16_t, rank> all;
  if (const auto* const restored = restored_.load(std::memory_order_acquire)) all = *restored;
  if (!job_) all[node_] = 0;
  for (rank r = 0; job_ && r < job_->nodes(); ++r) all[job_->node_of(r)] = r;
  return all;
}

void home_nodes::restore(const std::map<std::uint16_t, rank>& homes, std::uint64_t ids_made) {
  all_restored_.push_back(std::make_unique<const std::map<std::uint16_t, rank>>(homes));
  restored_.store(all_restored_.back().get(), std::memory_order_release);
  for (std::uint64_t made = ids_made_; made < ids_made && !ids_made_.compare_exchange_weak(made, ids_made);) continue;
}

rank home_nodes::restored_home(std::uint16_t node) const noexcept {
  const auto* const homes = restored_.load(std::memory_order_acquire);
  if (!homes) return no_rank;
  const auto found = homes->find(node);
  return found == homes->end() ? no_rank : found->second;
}

}  // namespace stretto::mobiles
