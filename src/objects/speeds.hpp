// speeds.hpp - measured times of kernels on devices, by size, and predictions from them.
//
// Threads     a value with one owner.
// Cost        record, predict: one look-up by number; names are numbered once. Text: linear.
// Invariants  (1) predictions are positive and finite. (2) the text of a table, read, gives the same table.
// Source      history by size class: StarPU's performance models. Here with a moving average and without calibration
//             runs.
//
// Size classes are powers of two. The time per item of a class is the mean of its first few times, and then moves by an
// eighth with each new one. The second time replaces the first, because drivers are slow the first time.
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

  /// Records a time. Ignored if the time is not positive and finite, or if there are no items.
  void record(std::uint32_t number, std::uint64_t items, double seconds);
  /// The same for a time measured from outside, which may include waiting: a smaller one counts at once, a larger one
  /// by 1/64.
  void record_at_most(std::uint32_t number, std::uint64_t items, double seconds);
  /// Predicts a time: from the class of this size; else by interpolation between the nearest smaller and larger
  /// classes; else at the time per item of a class within a factor of 16. Empty if there is none.
  std::optional<double> predict(std::uint32_t number, std::uint64_t items) const;
  /// The same with classes at any distance; empty only if no class has a time.
  std::optional<double> estimate(std::uint32_t number, std::uint64_t items) const;

  /// For a file: a line "stretto speeds 1", then one line per kernel, device and class.
  std::string text() const;
  /// Parses what text() returned. For anything else the result is empty and `fault` says why ("line 12: ..."); a file
  /// is read as a whole or not at all.
  static std::optional<speeds> read(std::string_view text, std::string& fault);

  /// The class of a size: 0 for none, else the number of its bits.
  static unsigned class_of(std::uint64_t items) noexcept;

  friend bool operator==(const speeds&, const speeds&) = default;

 private:
  struct measured;
  /// If classes are known on one side only, they are used up to that distance.
  std::optional<double> from_classes_within(unsigned distance, std::uint32_t number, std::uint64_t items) const;
  measured* one_more(std::uint32_t number, std::uint64_t items, double per_item);

  static constexpr unsigned classes = 65;
  struct measured {
    double seconds_per_item = 0;
    double items = 0;         // mean, so that a class is a point for interpolation
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
