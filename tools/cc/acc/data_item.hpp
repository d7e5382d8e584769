// data_item.hpp - what a clause of data, or a rule of OpenACC without a clause, does with one variable of the host.
//
// Threads     pure.
// Source      OpenACC 3.3, sections 2.7 (data clauses) and 2.7.1 (parts of arrays).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cc/acc/directive.hpp"
#include "cc/acc/source_names.hpp"

namespace stretto::cc::acc {

/// A dimension of a part of an array, in C.
struct item_extent {
  std::string first, count, bytes;
};

/// The numbers of stretto_acc_action, and what is added to them.
namespace data_action {
enum : int { copy, copyin, copyout, create, no_create, present, attach, detach, delete_, update_host, update_device };
enum : int { zero = 16, finalize = 32, if_present = 64, implied = 128 };
}  // namespace data_action

struct data_item {
  int action;        // of the runtime, with its flags
  std::string path;  // of the variable, in C: "s.a"
  std::string base;  // the address of the variable, or of the array's first element
  /// None of a pointer without a part, which stands for what is on the device where it points to.
  std::vector<item_extent> extents = {};
  int pointer_level = 0;            // dimensions whose elements are pointers; 0: none
  bool is_behind_pointer = false;   // the path is a pointer to the array
  const declaration* of = nullptr;  // of the first name of the path

  bool is_member() const { return path != of->name && path != of->path; }
};

/// Whether two declarations are of one variable, which may be declared several times at file scope.
bool is_same(const declaration* one, const declaration* other) noexcept;

/// Whether a clause moves data, or asks for it: copy to present.
bool is_data_clause(clause_kind kind);

/// The names of variables at a place of the source.
struct name_scope {
  const source_names& names;
  const preprocessed_text& source;
  std::size_t offset;  // in the text
};

/// The item of a variable in a clause.
///
///   throws   O10 for a part of an array that is not translated, O15 for a name that is not declared
data_item item_of(const variable& v, int action, const source_line& where, const name_scope& scope);
/// Of a whole variable of the host.
data_item item_of(const declaration& of, int action);

/// The items of a directive's clauses of data, in their order. Clauses of a region that name the same part make one
/// item, which does what all of them ask for.
std::vector<data_item> items_of(const directive& d, const name_scope& scope);

/// Declarations of an array of struct stretto_acc_data, and of its extents ahead of it.
std::string declaration_of(const std::vector<data_item>& items, const std::string& name);

}  // namespace stretto::cc::acc
