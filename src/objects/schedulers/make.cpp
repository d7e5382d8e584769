#include "objects/schedulers/policies.hpp"

#include <stretto/error.hpp>

#include <array>
#include <string>

#include "base/nearest_name.hpp"

namespace stretto {

std::unique_ptr<device_scheduler> make_device_scheduler(std::string_view policy, std::source_location where) {
  if (policy == "fifo") return objects::make_fifo();
  if (policy == "locality") return objects::make_locality();
  if (policy == "earliest_finish") return objects::make_earliest_finish();
  if (policy == "work_stealing") return objects::make_work_stealing();
  const std::array<std::string, 4> names{"fifo", "locality", "earliest_finish", "work_stealing"};
  std::string meant = base::did_you_mean(policy, names);
  if (meant.empty()) meant = "one of fifo, locality, earliest_finish, work_stealing";
  throw error("A01", "there is no device scheduler \"" + std::string(policy) + "\"")
      .fact("called", where)
      .remedy(meant);
}

}  // namespace stretto
