// weight_measurement.hpp - when launches are measured, and when what they took changes weights.
//
//     resting --(some horizons)--> measuring --(window)--> deciding --> resting
//
// A node decides about its devices alone, once the window's launches have ended. Nodes decide together: each says what it has measured in a
// task of all nodes, and all take what was said at the same later horizon, by which it is there anyway.
//
// Threads     one owner.
// Cost        a horizon: O(1), and O(parts measured) once for each window. A launch: nothing, unless it is measured.
// Invariants  where nodes decide, the phase of every node is a function of the program: horizons, calls of set_weights, and what was agreed on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "buffers/measured_window.hpp"
#include "graph/chunk_weights.hpp"

namespace stretto::buffers {

/// Whose weights follow from measurement.
struct measured_levels {
  bool devices = false, nodes = false;
  friend bool operator==(const measured_levels&, const measured_levels&) = default;
};

class weight_measurement {
 public:
  static constexpr std::uint32_t window_horizons = 4;  // that a window spans
  static constexpr std::uint32_t least_rest = 2, most_rest = 64;

  /// `ahead`: so many horizons after that of its submission a task has ended, since who submits has waited for it.
  weight_measurement(measured_levels levels, std::size_t devices, std::uint32_t nodes, std::uint32_t ahead);

  /// Where the parts of a launch that is submitted now are measured; null: they are not.
  measured_window* open() const noexcept { return phase_ == phase::measuring ? window_.get() : nullptr; }

  /// Has passed a horizon. Returns new weights for the devices of this node, if they are to change.
  ///
  ///   now   of the devices, at present
  graph::chunk_weights passed_horizon(const graph::chunk_weights& now);

  enum class request : std::uint8_t {
    nothing,
    exchange,  // nodes are to say what they have measured; then exchanged() is to be called
    apply,     // and to decide by it; then applied() is
  };
  request pending_request() const noexcept { return request_; }
  std::shared_ptr<const measured_window> window() const noexcept { return window_; }
  void exchanged() noexcept { request_ = request::nothing; }
  void applied(bool has_changed) noexcept;

  /// These levels are measured from now on, and it begins with a rest: weights were set by hand, or are not any more.
  void begin(measured_levels levels) noexcept;
  measured_levels levels() const noexcept { return levels_; }
  /// Lets go of what was measured.
  void end() noexcept { phase_ = phase::off, window_.reset(), request_ = request::nothing; }

 private:
  enum class phase : std::uint8_t { off, resting, measuring, deciding };
  void rest(bool has_changed) noexcept;
  graph::chunk_weights decide_devices(const graph::chunk_weights& now);

  const std::size_t devices_;
  const std::uint32_t nodes_, ahead_;
  measured_levels levels_;
  phase phase_ = phase::off;
  request request_ = request::nothing;
  std::uint32_t left_ = 0;  // horizons of this phase
  std::uint32_t rest_ = least_rest;
  bool has_decided_devices_ = false;  // has decided about them by this window
  std::shared_ptr<measured_window> window_;
};

}  // namespace stretto::buffers
