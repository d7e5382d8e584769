// region_activity.hpp - what ranks with regions of OpenACC did, and what their devices did meanwhile.
//
// Threads     pure.
// Cost        O(n log n) in the records.
#pragma once

#include <string>
#include <vector>

#include "report/recorded_run.hpp"

namespace stretto::report {

enum class activity : std::uint8_t { host, device_wait, message_wait, kernel, copy };
inline constexpr unsigned activity_count = 5;
/// "host", "wait for the device", ...
const char* name(activity a) noexcept;

struct activity_span {
  nanoseconds start, end;
  activity is;
};

struct activity_row {
  std::string name;                  // of the rank, the worker or the stream
  std::vector<activity_span> spans;  // by their start
};

struct region_activity {
  nanoseconds begin = 0, end = 0;  // from the start of the first kernel to the end of the last one
  nanoseconds middle = 0;          // the start of the kernel with as many ahead of it as behind it
  std::vector<activity_row> rows;  // ranks, then the workers and streams that ran kernels or copies
  std::uint64_t waits = 0;         // of all ranks, between begin and end
  double waiting = 0;              // part of the time in which a rank waited, the mean of all ranks
  double computing = 0;            // part of the time in which any kernel ran
};

/// Of a run with ranks that was recorded in full detail. Without a kernel, begin and end are those of the run.
region_activity region_activity_of(const run& r);

}  // namespace stretto::report
