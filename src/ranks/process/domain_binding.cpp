#include "ranks/process/domain_binding.hpp"

#include <sched.h>

#include <algorithm>

#include "ranks/process/rank_placement.hpp"

namespace stretto::ranks {
namespace {

constexpr std::size_t bits = 8 * sizeof(unsigned long);
constexpr std::size_t most_processors = 1 << 16;

using processor_mask = std::vector<unsigned long>;  // a cpu_set_t of any size

std::size_t bytes_of(const processor_mask& mask) { return mask.size() * sizeof mask[0]; }

}  // namespace

domain_binding::domain_binding(const platform& machine)
    : domains_(domains_of_workers(machine)), processors_(processors_by_domain(machine)) {
  const auto has_worker = [&](std::uint32_t domain) { return std::ranges::find(domains_, domain) != domains_.end(); };
  for (std::uint32_t d = 0; d < processors_.size(); ++d)
    if (!has_worker(d)) processors_.clear();
}

void domain_binding::bind_thread(std::uint32_t worker) const noexcept {
  if (!is_on()) return;
  processor_mask mask;
  for (const std::uint32_t processor : processors_[domains_[worker]]) {
    if (processor >= most_processors) continue;
    if (processor / bits >= mask.size()) mask.resize(processor / bits + 1);
    mask[processor / bits] |= 1ul << processor % bits;
  }
  ::sched_setaffinity(0, bytes_of(mask), reinterpret_cast<const cpu_set_t*>(mask.data()));
}

kept_processors::kept_processors() : before_(most_processors / bits) {
  if (::sched_getaffinity(0, bytes_of(before_), reinterpret_cast<cpu_set_t*>(before_.data())) != 0) before_.clear();
}

kept_processors::~kept_processors() {
  if (!before_.empty()) ::sched_setaffinity(0, bytes_of(before_), reinterpret_cast<const cpu_set_t*>(before_.data()));
}

}  // namespace stretto::ranks
