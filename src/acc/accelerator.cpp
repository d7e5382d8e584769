#include "acc/accelerator.hpp"

#include <utility>

#include "acc/queue_task.hpp"

namespace stretto::acc {

void accelerator::perform(const std::vector<transfer>& all) {
  for (const transfer& one : all) {
    switch (one.is) {
      case transfer::kind::to_device: copy_to_device(one.device, one.host, one.bytes); break;
      case transfer::kind::to_host: copy_to_host(one.host, one.device, one.bytes); break;
      case transfer::kind::within_device: copy_within(one.device, one.host, one.bytes); break;
      case transfer::kind::clear: clear(one.device, one.bytes); break;
      case transfer::kind::write_pointer:
        copy_to_device(one.device, reinterpret_cast<const std::byte*>(&one.host), sizeof one.host);
        break;
      case transfer::kind::release: release(one.device); break;
    }
  }
}

event accelerator::start(const gang_launch& l, std::shared_ptr<gang_arguments> arguments,
                         std::span<const event> behind) {
  return start_queue_task(behind, [this, l, kept = std::move(arguments)] { launch(l); });
}

event accelerator::start(std::vector<transfer> all, std::span<const event> behind) {
  return start_queue_task(behind, [this, all = std::move(all)] { perform(all); });
}

}  // namespace stretto::acc
