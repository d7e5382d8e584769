// error_output.hpp - an error on its way to the error stream, in the form that STRETTO_ERRORS asks for.
//
// Threads     any; each error leaves in one write, so that lines of two do not mix.
#pragma once

#include <exception>
#include <span>
#include <string>

#include "base/options.hpp"

namespace stretto::base {

/// The text that print_error writes, its newline included. Exceptions other than stretto::error have the code W00.
std::string printed(const std::exception& e, error_form form);
/// Writes it to standard error; never throws.
void print_error(const std::exception& e, error_form form) noexcept;

/// The same of what the program goes on in spite of: "warning B10: ..."; as JSON with "severity":"warning".
std::string printed_warning(const error& e, error_form form);
void print_warning(const error& e, error_form form) noexcept;

/// The form that was asked for, also where other options are misspelt or this one is: errors about options must be
/// printed too. Looks at STRETTO_ERRORS and --errors only; `text` unless the last of them says `json`.
error_form error_form_of(const environment& variables, std::span<const std::string> arguments);

}  // namespace stretto::base
