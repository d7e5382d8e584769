// own_part.hpp - parts of arrays of which a gang has elements of its own: private, firstprivate and reduced ones.
//
// Threads     pure.
#pragma once

#include <string>

#include "cc/acc/data_item.hpp"

namespace stretto::cc::acc {

/// The part of an array of which a gang has elements of its own. They keep the indices that they have in the array.
struct own_part {
  std::string first = "0", length;  // in C; numbers if they are constant
  c_type element;

  bool begins_at_0() const { return first == "0"; }
};

/// The elements that a clause names of an array or behind a pointer.
///
///   throws   O10 for a part whose length is not known, and for a part of a row
own_part part_of(const variable& v, const declaration& of, const source_line& where, const name_scope& scope);

/// The array of a gang's own elements, and its first index, as names of a kernel or a number. An array that begins at
/// another index is used by its elements alone: a pointer ahead of it would be none into it.
std::string own_name(const own_part& part, const std::string& name);
std::string first_name(const own_part& part, const std::string& name);
bool is_number(const std::string& text);
/// "stretto_own_a[(i) - 2]"
std::string own_element(const own_part& part, const std::string& name, const std::string& index);

/// Throws O10.
[[noreturn]] void refuse_gang_copy(const std::string& name, const source_line& where);

}  // namespace stretto::cc::acc
