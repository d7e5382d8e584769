#pragma once

namespace bench {

/// A simulated device that computes as slowly as it copies, as option `devices` calls it: what is under way at the same
/// time shows, for which two cores have no room.
inline constexpr const char* slow_device = "sim(rate=100M,bandwidth=100M)";

/// One at the end of wires as of PCI Express 3, whose memory messages may be sent from and received in where that is
/// not forbidden.
inline constexpr const char* far_device = "sim(messages,bandwidth=12G,copy_us=8)";

}  // namespace bench
