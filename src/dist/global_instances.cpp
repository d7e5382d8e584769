#include "dist/global_instances.hpp"

#include <algorithm>

#include "data/instances.hpp"
#include "dist/remote_requests.hpp"

namespace stretto::dist {

using detail::instance_handle;

namespace {
constexpr std::size_t longest_name = 31;  // as in instance records
}  // namespace

global_instances::global_instances(job& j)
    : job_(j),
      announce_(j.on<&global_instances::on_announce>("global_instances.known", this)),
      gone_(j.on<&global_instances::on_gone>("global_instances.gone", this)) {}

void global_instances::announce(rank to, const instance_handle& named, const instance_handle& near,
                                base::thread_context& context) {
  if (to == job_.self()) return;
  const std::scoped_lock lock(lock_);
  const auto is = data::global_instance_of(near, context);
  if (!is) return;
  auto& announced = announced_[near.key];
  if (std::ranges::find(announced, std::pair(to, named)) != announced.end()) return;
  announced.emplace_back(to, named);
  writer w;
  put(w, named);
  put(w, is->shape.box);
  put(w, is->shape.stride);
  w.put(is->shape.element_bytes);
  w.put(is->dimensions);
  w.put(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(is->first)));
  w.put_text(is->name, longest_name);
  job_.send(to, announce_, w);
}

void global_instances::gone(const instance_handle& near) noexcept {
  const std::scoped_lock lock(lock_);
  const auto found = announced_.find(near.key);
  if (found == announced_.end()) return;
  for (const auto& [to, named] : found->second) {
    writer w;
    put(w, named);
    job_.send(to, gone_, w);
  }
  announced_.erase(found);
}

instance_handle global_instances::stand_in(const instance_handle& named) const {
  const std::scoped_lock lock(lock_);
  const auto found = stand_ins_.find(name_of(named));
  return found == stand_ins_.end() ? instance_handle() : found->second.by;
}

void global_instances::on_announce(rank from, reader& content, base::thread_context& context) {
  const instance_handle named = get_handle(content);
  data::global_instance is;
  is.shape.box = get_box(content);
  is.shape.stride = get_point(content);
  is.shape.element_bytes = content.get<std::uint32_t>();
  is.dimensions = content.get<std::uint8_t>();
  is.first = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(content.get<std::uint64_t>()));
  is.name = content.get_text();
  const instance_handle by = data::make_stand_in(is, context);
  const std::scoped_lock lock(lock_);
  stand_ins_.insert_or_assign(name_of(named), remote_instance{from, by});
}

void global_instances::on_gone(rank, reader& content, base::thread_context& context) {
  instance_handle by;
  {
    const std::scoped_lock lock(lock_);
    const auto found = stand_ins_.find(name_of(get_handle(content)));
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
