// unwritten_warnings.hpp - warnings about reads of elements that no task has written: once for each buffer and source
// line.
//
// Threads     one owner.
// Memory      bounded: silent after 32 warnings.
#pragma once

#include <functional>
#include <set>
#include <source_location>
#include <string>
#include <tuple>

#include "geometry/region.hpp"
#include "graph/ids.hpp"

namespace stretto::buffers {

class unwritten_warnings {
 public:
  using sink = std::function<void(const std::string&)>;

  void to(sink s) { sink_ = std::move(s); }
  /// `task` reads these elements of a buffer.
  void warn(const std::string& task, graph::buffer_id b, const std::string& buffer, const region& elements,
            const std::source_location& where);

 private:
  sink sink_;
  std::set<std::tuple<std::uint32_t, std::string, std::uint_least32_t>> warned_;
};

}  // namespace stretto::buffers
