#include "mobile/deferred_actions.hpp"

namespace stretto::mobiles {

void release_parked(object_entry& e, deferred_actions& actions, migration_epoch until) {
  std::erase_if(e.parked, [&](std::unique_ptr<remote_message>& msg) {
    if (msg->routing.epoch > until) return false;
    msg->routing.epoch = unknown_epoch;
    actions.deliver.push_back(std::move(msg));
    return true;
  });
}

void release_blocked(home_record& h, deferred_actions& actions) {
  for (auto& msg : h.blocked) actions.deliver.push_back(std::move(msg));
  h.blocked.clear();
}

}  // namespace stretto::mobiles
