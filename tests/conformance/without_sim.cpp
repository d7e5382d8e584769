// For builds without the backend of simulated devices.
#include "conformance/devices.hpp"

namespace stretto::device {

std::vector<candidate> sim_candidates() { return {}; }

}  // namespace stretto::device
