// load_report.hpp - the loads of one node and of its objects, as the node reports them to the node that balances. That
// node makes a load_table (stretto/balancer.hpp) of the reports of all nodes.
//
// Threads     A value.
#pragma once

#include <stretto/fields.hpp>

#include <cstdint>
#include <vector>

#include "mobile/object_id.hpp"

namespace stretto::mobiles {

struct load_report {
  /// The fields of load_table::object, but for the node.
  struct object {
    object_id id;
    double seconds, hint;
    std::uint64_t bytes;
    double device_seconds;
  };
  // The fields of load_table::node. Speed 0: the node has not replied.
  double speed = 0, background = 0;
  double devices = 0, device_background = 0;
  double window = 0;  // seconds over which the loads were measured; 0: since the last round
  std::vector<object> objects;

  template <class Archive>
  friend void fields(Archive& a, archived<load_report, Archive>& r) {
    a(r.speed, r.background, r.devices, r.device_background, r.window, r.objects);
  }
};

}  // namespace stretto::mobiles
