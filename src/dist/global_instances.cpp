#include "dist/global_instances.hpp"

#include <algorithm>

#include "data/instances.hpp"

namespace stretto::dist {

using detail::instance_handle;

global_instances::global_instances(job& j) : job_(j) {
  j.on<&global_instances::on_known, &global_instances::on_gone>(this);
}

void global_instances::announce(rank to, const instance_handle& named, const instance_handle& near,
                                base::thread_context& context) {
  if (to == job_.self()) return;
  const std::scoped_lock lock(lock_);
  const auto is = data::global_instance_of(near, context);
  if (!is) return;
  auto& announced = announced_[near.key];
  if (std::ranges::find(announced, std::pair(to, named)) != announced.end()) return;
  announced.emplace_back(to, named);
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(is->first));
  job_.send(to, global_instance_known{named, is->shape, is->dimensions, address, is->name});
}

void global_instances::gone(const instance_handle& near) noexcept {
  const std::scoped_lock lock(lock_);
  const auto found = announced_.find(near.key);
  if (found == announced_.end()) return;
  for (const auto& [to, named] : found->second) job_.send(to, global_instance_gone{named});
  announced_.erase(found);
}

instance_handle global_instances::stand_in(const instance_handle& named) const {
  const std::scoped_lock lock(lock_);
  const auto found = stand_ins_.find(name_of(named));
  return found == stand_ins_.end() ? instance_handle() : found->second.by;
}

void global_instances::on_known(rank from, const global_instance_known& m, base::thread_context& context) {
  auto* const first = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(m.address));
  const instance_handle by = data::make_stand_in({m.shape, m.dimensions, first, m.name}, context);
  const std::scoped_lock lock(lock_);
  stand_ins_.insert_or_assign(name_of(m.named), remote_instance{from, by});
}

void global_instances::on_gone(rank, const global_instance_gone& m, base::thread_context& context) {
  instance_handle by;
  {
    const std::scoped_lock lock(lock_);
    const auto found = stand_ins_.find(name_of(m.named));
    if (found == stand_ins_.end()) return;
    by = found->second.by;
    stand_ins_.erase(found);
  }
  data::end_stand_in(by, context);
}

void global_instances::lost(rank node) noexcept {
  const std::scoped_lock lock(lock_);
  std::erase_if(stand_ins_, [node](const auto& entry) { return entry.second.of == node; });
}

}  // namespace stretto::dist
