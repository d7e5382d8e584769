// names_in_use.hpp - what names mean where a directive is translated: in templates, once for each instantiation.
//
// Threads     one at a time uses an object.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cc/acc/called_functions.hpp"
#include "cc/acc/clang_names.hpp"

namespace stretto::cc::acc {

/// Refers to the source and the tree.
class names_in_use {
 public:
  /// Throws what read_all_names throws.
  names_in_use(const preprocessed_text& source, const directive_tree& tree, std::span<const text_range> parts,
               language language, const std::string& standard);

  const source_names& current() const noexcept { return *names_; }
  const called_functions& called() const noexcept { return *called_; }

  /// Within it names are those of the first instantiation of the template around a directive.
  class inside_template {
   public:
    inside_template(names_in_use& of, const placed_directive& one);
    inside_template(const inside_template&) = delete;
    ~inside_template();
    /// False in a template without instantiations.
    bool is_instantiated() const noexcept { return is_instantiated_; }

   private:
    names_in_use& of_;
    bool is_instantiated_ = true;
  };
  inside_template enter(const placed_directive& one) { return {*this, one}; }

  /// In a template, the text for each instantiation, of which the compiler chooses one; else the text. `note` gets a
  /// line for each instantiation. Throws O10 if a type among the arguments of the template has no name.
  std::string for_each_instance(const placed_directive& one, const std::function<std::string()>& text,
                                const std::function<void(const std::string&)>& note);

 private:
  using instances = std::vector<const template_instance*>;
  void use(const source_names& names);
  std::optional<instances> instances_at(const placed_directive& one) const;
  std::string condition_that_is_false(const placed_directive& one) const;
  std::size_t offset_of(const placed_directive& one) const { return source_.pragmas()[one.pragma].first; }

  const preprocessed_text& source_;
  const directive_tree& tree_;
  all_names all_;
  std::map<const source_names*, called_functions> called_by_names_;
  const source_names* names_ = nullptr;
  const called_functions* called_ = nullptr;
};

}  // namespace stretto::cc::acc
