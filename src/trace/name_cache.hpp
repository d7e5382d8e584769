// name_cache.hpp - one thread's memory of the names that it gave to its latest records.
//
// Threads     its owner thread.
// Cost        a name seen lately at its source line: one comparison of texts; else name_table::intern.
// Invariants  an answer is the table's own: entries never move or change.
#pragma once

#include <array>
#include <cstdint>
#include <source_location>
#include <string_view>

#include "trace/name_table.hpp"

namespace stretto::trace {

class name_cache {
 public:
  name_id intern(name_table& table, std::string_view name, const std::source_location& where) {
    const char* file = where.file_name();
    entry& e = entries_[(reinterpret_cast<std::uintptr_t>(file) / 16 + where.line()) % entries_.size()];
    if (e.file != file || e.line != where.line() || e.name != name) [[unlikely]] {
      const name_id id = table.intern(name, where);
      e = {file, table[id].name, where.line(), id};
      if (e.name != name) e.file = nullptr;  // the table is full, and this its entry for all others
      return id;
    }
    return e.id;
  }

 private:
  struct entry {
    const char* file = nullptr;
    std::string_view name;
    std::uint32_t line = 0;
    name_id id = no_name;
  };
  std::array<entry, 64> entries_;
};

}  // namespace stretto::trace
