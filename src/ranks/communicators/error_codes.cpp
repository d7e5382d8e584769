// error_codes.cpp - entries by number; a class has its own number as its class.
#include "ranks/communicators/error_codes.hpp"

#include <algorithm>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

namespace {

constexpr int first_of_program = static_cast<int>(error_class::last_code) + 1;

bool is_of_mpi(int code) { return !text_of(static_cast<error_class>(code)).empty(); }

[[noreturn]] void throw_unknown(int code) {
  throw call_error(error_class::argument, std::to_string(code) + " is no error code of this program");
}

}  // namespace

int error_codes::add_class() {
  const std::lock_guard lock(mutex_);
  const int number = add(0);
  entries_[number].of_class = number;
  return number;
}

int error_codes::add_code(int of_class) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(of_class);
  const bool is_class = found == entries_.end() ? is_of_mpi(of_class) : found->second.of_class == of_class;
  if (!is_class) throw call_error(error_class::argument, std::to_string(of_class) + " is no error class");
  return add(of_class);
}

int error_codes::add(int of_class) {
  const int number = entries_.empty() ? first_of_program : entries_.rbegin()->first + 1;
  entries_[number] = {of_class, ""};
  return number;
}

error_codes::entry& error_codes::of_program(int code) {
  const auto found = entries_.find(code);
  if (found == entries_.end()) throw_unknown(code);
  return found->second;
}

void error_codes::set_text(int code, std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (text.size() >= text_limit) {
    throw call_error(error_class::argument,
                     "the text has " + std::to_string(text.size()) + " characters, more than MPI_MAX_ERROR_STRING - 1");
  }
  of_program(code).text = text;
}

void error_codes::remove_class(int which) {
  const std::lock_guard lock(mutex_);
  if (of_program(which).of_class != which) {
    throw call_error(error_class::argument, std::to_string(which) + " is an error code, no class");
  }
  const auto is_of_it = [&](const auto& numbered) { return numbered.second.of_class == which; };
  if (std::ranges::count_if(entries_, is_of_it) > 1) {
    throw call_error(error_class::argument, "error class " + std::to_string(which) + " still has error codes");
  }
  entries_.erase(which);
}

void error_codes::remove_code(int which) {
  const std::lock_guard lock(mutex_);
  if (of_program(which).of_class == which) {
    throw call_error(error_class::argument, std::to_string(which) + " is an error class, no code");
  }
  entries_.erase(which);
}

void error_codes::remove_text(int code) { set_text(code, {}); }

int error_codes::class_of(int code) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(code);
  if (found != entries_.end()) return found->second.of_class;
  if (!is_of_mpi(code)) throw_unknown(code);
  return code;
}

std::string error_codes::text_of(int code) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(code);
  if (found != entries_.end()) return found->second.text;
  if (!is_of_mpi(code)) throw_unknown(code);
  return std::string(ranks::text_of(static_cast<error_class>(code)));
}

int error_codes::last_used() const {
  const std::lock_guard lock(mutex_);
  return entries_.empty() ? first_of_program - 1 : entries_.rbegin()->first;
}

}  // namespace stretto::ranks
