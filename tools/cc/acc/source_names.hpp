// source_names.hpp - what the names in parts of a source file mean: declarations with their types, found by libclang.
//
// Threads     values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cc/acc/preprocessed_text.hpp"
#include "cc/language.hpp"

namespace stretto::cc::acc {

struct record_type;

enum class type_form : std::uint8_t {
  none,
  void_,
  boolean,
  integer,
  floating,
  pointer,
  array,
  record,
  function,
  other
};

/// A type of C without its typedefs.
struct c_type {
  type_form is = type_form::none;
  std::string spelling = {};  // as C writes it
  std::size_t bytes = 0;      // 0 if it has no constant size
  bool is_signed = false;     // of integers
  bool is_const = false;
  bool is_reference = false;                   // of C++, to a variable of this type
  std::shared_ptr<const c_type> element = {};  // of pointers and arrays; of functions, the result
  std::optional<std::uint64_t> count = {};     // of arrays; none if it is no constant
  std::string extent = {};                     // then: what a declaration has in its place
  const record_type* record = nullptr;         // of records; belongs to the source_names
  bool is_class = false;  // of records of C++: it has constructors, bases or other things that no record of C has

  bool is_number() const noexcept {
    return is == type_form::boolean || is == type_form::integer || is == type_form::floating;
  }
};

struct field {
  std::string name;
  c_type type;
  std::size_t offset;  // in bytes
  bool is_bit_field = false;
};

struct record_type {
  std::string name;  // "struct point"; of one without a name, as libclang names it
  bool is_union = false;
  std::vector<field> fields = {};
};

struct declaration {
  enum class place : std::uint8_t { local, parameter, static_, global, function, constant, member, member_function };
  std::string name;
  place is = place::local;
  c_type type;
  std::size_t offset;           // of the name in its declaration, in the text
  std::int64_t value = 0;       // of a constant
  bool is_of_function = false;  // of a constant of C++: it is a variable of a function
  std::string path = {};        // as functions around write it: "this->n", "physics::rate"; of others, the name
};

/// A part of the text: [first, last), offsets.
struct text_range {
  std::size_t first, last;
};

/// A member function of a class, and what is visible in it alone: `this` and the members, as indices of declarations.
struct member_scope {
  text_range where;
  std::vector<std::size_t> members;
};

/// May be moved, after which types still refer to their records.
class source_names {
 public:
  /// The declaration that the name at an offset of the text refers to or makes; null if libclang does not know it.
  const declaration* at(std::size_t offset) const noexcept;
  /// The type that the name at an offset stands for: that of a typedef, or behind struct, union or enum. Null if it is
  /// the name of no type.
  const c_type* type_at(std::size_t offset) const noexcept;
  /// The variable, function or constant of that name whose scope an offset is in; null if there is none.
  const declaration* visible(std::string_view name, std::size_t offset, const preprocessed_text& source) const;

  explicit source_names(cc::language language = cc::language::c) : language_(language) {}
  cc::language language() const noexcept { return language_; }

 private:
  friend class name_reader;
  friend class template_reader;
  const member_scope* method_at(std::size_t offset) const noexcept;
  const declaration* variable_of_namespace(std::string_view name, std::size_t offset) const;

  cc::language language_;
  std::map<std::string, std::unique_ptr<record_type>> records_;
  std::map<std::size_t, c_type> types_;      // by the offset of their name
  std::map<std::size_t, std::size_t> uses_;  // offset of a name, index of its declaration
  std::vector<declaration> declarations_;
  std::vector<member_scope> methods_;
};

}  // namespace stretto::cc::acc
