// report.hpp - the report of a run of the demonstration, as text and as JSON.
//
// Threads     pure.
#pragma once

#include <filesystem>
#include <optional>
#include <stretto/statistics.hpp>
#include <string>
#include <vector>

#include "demo/wave/energy.hpp"
#include "demo/wave/medium.hpp"
#include "demo/wave/options.hpp"

namespace stretto::wave {

/// The run that is about to start.
struct undertaking {
  std::filesystem::path medium;
  extent picture;  // of the medium, in pixels
  plan planned;
  velocity_range velocities;  // the slowest and fastest of the ground
  time_scale time;
  std::uint32_t nodes = 1;
  int workers() const { return planned.workers * int(nodes); }  // of all nodes, taken to be alike
};

struct speed {
  double seconds = 0, cells_per_second = 0;
};

struct written_file {
  std::filesystem::path file;
  std::string what;
};

/// The results of the run.
struct outcome {
  int steps = 0;  // done: fewer than planned if the user stopped it
  std::size_t step_tasks = 0, halo_copies = 0;
  speed tasks;
  std::optional<speed> serial;  // absent: stopped before or while it ran
  double difference = 0;        // from the serial loop's field, the largest of all cells
  double largest_pressure = 0;
  energy at_end;
  std::vector<device_statistics> devices;  // who computed what, where devices took part
  std::vector<written_file> files;

  /// Of the serial loop's speed, for each worker.
  double speed_per_worker(int workers) const {
    return serial ? tasks.cells_per_second / workers / serial->cells_per_second : 0;
  }
};

enum class text_style { plain, coloured };

/// The lines before the work, and those after it; whole lines each.
std::string text_before(const undertaking& work, text_style style);
std::string text_after(const undertaking& work, const outcome& result, text_style style);

/// Everything as one JSON object, with a newline.
std::string json_of(const undertaking& work, const outcome& result);

}  // namespace stretto::wave
