// weight_measurement.hpp - load balancing by measured times: decides when launches are measured, and when the
// measurements change the weights by which devices and nodes share work.
//
//     pausing --(some horizons)--> measuring --(window)--> deciding --> pausing
//
// A window is some horizons long. When its launches have ended, a node decides by itself about its devices. Nodes
// decide together about node weights: a task on all nodes exchanges the measurements, and all nodes apply them at the
// same later horizon, by which this task has ended.
//
// Threads     one owner.
// Cost        a horizon: O(1), and O(parts measured) once for each window. A launch: nothing, unless it is measured.
// Invariants  if nodes decide, the phase of every node is a function of the program: horizons, calls of set_weights,
//             and exchanged results.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "buffers/measured_window.hpp"
#include "graph/chunk_weights.hpp"

namespace stretto::buffers {

/// The levels at which measured weights are used.
struct measured_levels {
  bool devices = false, nodes = false;
  friend bool operator==(const measured_levels&, const measured_levels&) = default;
};

class weight_measurement {
 public:
  static constexpr std::uint32_t window_horizons = 4;               // length of a window
  static constexpr std::uint32_t least_pause = 2, most_pause = 64;  // horizons between windows

  /// `ahead`: back pressure guarantees that a task has ended when this many horizons have passed since its submission.
  weight_measurement(measured_levels levels, std::size_t devices, std::uint32_t nodes, std::uint32_t ahead);

  /// The window in which a launch submitted now is measured; null: it is not measured.
  measured_window* open() const noexcept { return phase_ == phase::measuring ? window_.get() : nullptr; }

  /// To be called at each horizon. Returns new weights for the devices of this node, if they change.
  ///
  ///   now   the present weights of the devices
  graph::chunk_weights passed_horizon(const graph::chunk_weights& now);

  enum class request : std::uint8_t {
    nothing,
    exchange,  // the caller must exchange measurements between nodes, then call exchanged()
    apply,     // the caller must apply the exchanged measurements, then call applied()
  };
  request pending_request() const noexcept { return request_; }
  std::shared_ptr<const measured_window> window() const noexcept { return window_; }
  void exchanged() noexcept { request_ = request::nothing; }
  void applied(bool has_changed) noexcept;

  /// Restarts with these levels, in the pausing phase. To be called when the program sets or resets weights.
  void begin(measured_levels levels) noexcept;
  measured_levels levels() const noexcept { return levels_; }
  /// Stops measuring and drops the window.
  void end() noexcept { phase_ = phase::off, window_.reset(), request_ = request::nothing; }

 private:
  enum class phase : std::uint8_t { off, pausing, measuring, deciding };
  void pause(bool has_changed) noexcept;
  graph::chunk_weights decide_devices(const graph::chunk_weights& now);

  const std::size_t devices_;
  const std::uint32_t nodes_, ahead_;
  measured_levels levels_;
  phase phase_ = phase::off;
  request request_ = request::nothing;
  std::uint32_t left_ = 0;  // horizons left in this phase
  std::uint32_t pause_ = least_pause;
  bool has_decided_devices_ = false;  // has decided about devices from this window
  std::shared_ptr<measured_window> window_;
};

}  // namespace stretto::buffers
