// name_cache.hpp - one thread's cache of recently used names.
//
// Threads     its owner thread.
// Cost        a recently used name at its source line: one string comparison; else name_table::intern.
// Invariants  returned ids are those of the table, whose entries never move or change.
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
  /// If `name` is null, the name is `otherwise`, which must be the same text in the whole program.
  name_id intern(name_table& table, const char* name, const std::source_location& where, const char* otherwise) {
    const char* const file = where.file_name();
    entry& e = entries_[(reinterpret_cast<std::uintptr_t>(file) / 16 + where.line()) % entries_.size()];
    if (e.file == file && e.line == where.line() && (name ? e.text && std::strcmp(e.text, name) == 0 : !e.text))
        [[likely]]
      return e.id;
    return enter(e, table, name, where, otherwise);
  }

 private:
  struct entry {
    const char* file = nullptr;
    const char* text = nullptr;  // text of the table, which never moves; null: unnamed
    std::uint32_t line = 0;
    name_id id = no_name;
  };

  [[gnu::noinline]] static name_id enter(entry& e, name_table& table, const char* name,
                                         const std::source_location& where, const char* otherwise) {
    const name_id id = table.intern(name ? name : otherwise, where);
    const std::string& text = table[id].name;
    e = {where.file_name(), name ? text.c_str() : nullptr, where.line(), id};
    // The table is full, and this is its entry for all further names: do not cache it for this name.
    if (text != (name ? name : otherwise)) e.file = nullptr;
    return id;
  }

  std::array<entry, 64> entries_;
};

}  // namespace stretto::trace
