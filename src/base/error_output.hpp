// error_output.hpp - prints errors to standard error, in the form that STRETTO_ERRORS names.
//
// Threads     any; each error is one write, so the lines of two errors do not mix.
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

/// The same for a warning: "warning B10: ..."; as JSON with "severity":"warning".
std::string printed_warning(const error& e, error_form form);
void print_warning(const error& e, error_form form) noexcept;

/// The requested form. Reads only STRETTO_ERRORS and --errors, so that errors about other options can be printed;
/// `text` unless the last of them is `json`.
error_form error_form_of(const environment& variables, std::span<const std::string> arguments);

}  // namespace stretto::base
