// template_instance.hpp - what names mean in templates around directives, once for each instantiation.
//
// Threads     values.
#pragma once

#include <string>
#include <vector>

#include "cc/acc/source_names.hpp"

namespace stretto::cc::acc {

/// A function that is a template, or a member of one.
struct template_function {
  text_range where;
  std::string never;  // a condition of C++ that is false in each instantiation; empty if no parameter has a name
};

/// The names in a template as one instantiation has them.
struct template_instance {
  text_range where;       // of the template's function
  std::string condition;  // true in this instantiation alone, in C++: "__is_same(T, double) && N == 3"
  source_names names;
  bool has_code = true;  // else its class alone is known, and no types of its code
};

struct all_names {
  source_names names;                             // outside of templates
  std::vector<template_function> templates = {};  // in which a directive stands
  std::vector<template_instance> instances = {};
};

}  // namespace stretto::cc::acc
