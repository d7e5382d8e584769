// span_index.hpp - finds the record of work that has an id, where each has one of its own, as on the lanes of ranks.
//
// Threads     a value.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "report/recorded_run.hpp"

namespace stretto::report {

class span_index {
 public:
  explicit span_index(const run& r) {
    for (std::uint32_t i = 0; i < r.records.size(); ++i)
      if (r.records[i].id != 0 && is_work(r.records[i].kind)) records_.insert_or_assign(r.records[i].id, i);
  }
  /// no_record: there is none.
  std::uint32_t find(std::uint64_t id) const {
    const auto found = records_.find(id);
    return found == records_.end() ? no_record : found->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> records_;
};

}  // namespace stretto::report
