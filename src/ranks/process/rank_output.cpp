#include "ranks/process/rank_output.hpp"

#include "ranks/program/program_copy.hpp"

namespace stretto::ranks {
namespace {

FILE* output_of_thread() {
  const auto* const copy = program_copy::current();
  return copy ? copy->output() : stdout;
}

FILE* error_of_thread() {
  const auto* const copy = program_copy::current();
  return copy ? copy->error() : stderr;
}

}  // namespace

rank_output::rank_output()
    : output_(output_of_thread),
      error_(error_of_thread),
      output_before_(std::cout.rdbuf(&output_)),
      error_before_(std::cerr.rdbuf(&error_)),
      log_before_(std::clog.rdbuf(&error_)) {}

rank_output::~rank_output() {
  std::cout.rdbuf(output_before_);
  std::cerr.rdbuf(error_before_);
  std::clog.rdbuf(log_before_);
}

rank_stream::int_type rank_stream::overflow(int_type one) {
  if (traits_type::eq_int_type(one, traits_type::eof())) return traits_type::not_eof(one);
  return std::putc(traits_type::to_char_type(one), of_thread_());
}

std::streamsize rank_stream::xsputn(const char* text, std::streamsize size) {
  return static_cast<std::streamsize>(std::fwrite(text, 1, static_cast<std::size_t>(size), of_thread_()));
}

int rank_stream::sync() { return std::fflush(of_thread_()); }

}  // namespace stretto::ranks
