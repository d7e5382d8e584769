#include "ranks/process/rank_output.hpp"

#include <cstdio>
#include <iostream>

#include "ranks/program/program_copy.hpp"

namespace stretto::ranks {
namespace {

FILE* output_of_thread() {
  const auto* const copy = program_copy::current();
  return copy ? copy->output() : stdout;
}

}  // namespace

rank_output::rank_output() : before_(std::cout.rdbuf(this)) {}

rank_output::~rank_output() { std::cout.rdbuf(before_); }

rank_output::int_type rank_output::overflow(int_type one) {
  if (traits_type::eq_int_type(one, traits_type::eof())) return traits_type::not_eof(one);
  return std::putc(traits_type::to_char_type(one), output_of_thread());
}

std::streamsize rank_output::xsputn(const char* text, std::streamsize size) {
  return static_cast<std::streamsize>(std::fwrite(text, 1, static_cast<std::size_t>(size), output_of_thread()));
}

int rank_output::sync() { return std::fflush(output_of_thread()); }

}  // namespace stretto::ranks
