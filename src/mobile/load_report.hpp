// load_report.hpp - one node's part of a load table, which it sends to the node that balances.
//
// Threads     A value that is sent between nodes.
#pragma once

#include <stretto/fields.hpp>

#include <cstdint>
#include <vector>

namespace stretto::mobiles {

struct load_report {
  struct object {
    std::uint64_t id;
    double seconds, hint;
    std::uint64_t bytes;
    double device_seconds;
  };
  double speed = 0, background = 0;
  double devices = 0, device_background = 0;
  double window = 0;  // length in seconds, of a windowed report
  std::vector<object> objects;

  template <class Archive>
  friend void fields(Archive& a, archived<load_report, Archive>& r) {
    a(r.speed, r.background, r.devices, r.device_background, r.window, r.objects);
  }
};

}  // namespace stretto::mobiles
