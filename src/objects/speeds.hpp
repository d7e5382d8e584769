// speeds.hpp - how long kernels have taken on devices, by size, and what that says about the next time.
//
// Threads     a value with one owner.
// Cost        record, predict: one look-up by number; names are numbered once. Text: linear.
// Invariants  (1) predictions are positive and finite. (2) the text of a table, read, gives the same table.
// Source      history by size class: StarPU's performance models; here with a moving average, no calibration runs.
//
// Sizes fall into classes by powers of two. In each, the time per item is the mean of the first few times, then moves by an
// eighth; the first time of all is forgotten at the second, because drivers are slow the first time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::objects {

class speeds {
 public:
  /// The number of a kernel on a device, for the calls below.
  std::uint32_t number_of(std::string_view kernel, std::string_view device);

  /// Times that are no positive finite number, or of no items, are left out.
  void record(std::uint32_t number, std::uint64_t items, double seconds);
  /// The same for a time that is seen from outside, and may hold some waiting: smaller ones count at once, larger ones little.
  void record_at_most(std::uint32_t number, std::uint64_t items, double seconds);
  /// From the class of this size; else along the line between the nearest smaller and larger classes known; else, if a class
  /// within a factor of 16 is known, at its time per item. Else nothing.
  std::optional<double> predict(std::uint32_t number, std::uint64_t items) const;
  /// The same, but nothing only where no class is known: sizes however far from this one say what they can.
  std::optional<double> estimate(std::uint32_t number, std::uint64_t items) const;

  /// For a file: a line "stretto speeds 1", then one line per kernel, device and class.
  std::string text() const;
  /// What `text` gave. Nothing, and why in `fault` ("line 12: ..."), for anything else: a file is believed as a whole or not.
  static std::optional<speeds> read(std::string_view text, std::string& fault);

  /// The class of a size: 0 for none, else the number of its bits.
  static unsigned class_of(std::uint64_t items) noexcept;

  friend bool operator==(const speeds&, const speeds&) = default;

 private:
  struct measured;
  /// A class on one side alone counts where it is no farther than that.
  std::optional<double> from_classes_within(unsigned distance, std::uint32_t number, std::uint64_t items) const;
  measured* one_more(std::uint32_t number, std::uint64_t items, double per_item);

  static constexpr unsigned classes = 65;
  struct measured {
    double seconds_per_item = 0;
    double items = 0;         // mean, so that a class stands at a point
    std::uint32_t times = 0;  // 0: unknown
    friend bool operator==(const measured&, const measured&) = default;
  };
  struct entry {
    std::string kernel, device;
    std::array<measured, classes> of_class;
    friend bool operator==(const entry&, const entry&) = default;
  };
  std::vector<entry> entries_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;  // by kernel, tab, device
};

}  // namespace stretto::objects
