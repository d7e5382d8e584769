// name_cache.hpp - one thread's memory of the names that it gave to its latest records.
//
// Threads     its owner thread.
// Cost        a name seen lately at its source line: one comparison of texts; else name_table::intern.
// Invariants  an answer is the table's own: entries never move or change.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <string>

#include "trace/name_table.hpp"

namespace stretto::trace {

class name_cache {
 public:
  /// `name` may be null: what has no name of its own is called `otherwise`, one text for the whole program.
  name_id intern(name_table& table, const char* name, const std::source_location& where, const char* otherwise) {
    const char* const file = where.file_name();
    entry& e = entries_[(reinterpret_cast<std::uintptr_t>(file) / 16 + where.line()) % entries_.size()];
    if (e.file == file && e.line == where.line() &&
        (name ? e.text && std::strcmp(e.text, name) == 0 : !e.text)) [[likely]]
      return e.id;
    return enter(e, table, name, where, otherwise);
  }

 private:
  struct entry {
    const char* file = nullptr;
    const char* text = nullptr;  // the table's, which never moves; null: no name of its own
    std::uint32_t line = 0;
    name_id id = no_name;
  };

  [[gnu::noinline]] static name_id enter(entry& e, name_table& table, const char* name,
                                         const std::source_location& where, const char* otherwise) {
    const name_id id = table.intern(name ? name : otherwise, where);
    const std::string& text = table[id].name;
    e = {where.file_name(), name ? text.c_str() : nullptr, where.line(), id};
    if (text != (name ? name : otherwise)) e.file = nullptr;  // the table is full, and this its entry for all others
    return id;
  }

  std::array<entry, 64> entries_;
};

}  // namespace stretto::trace
