#pragma once

namespace bench {

/// A simulated device that computes as slowly as it copies, as option `devices` calls it: what is under way at the same time shows, for which
/// two cores have no room.
inline constexpr const char* slow_device = "sim(rate=100M,bandwidth=100M)";

}  // namespace bench
