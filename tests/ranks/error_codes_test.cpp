#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "ranks/communicators/error_codes.hpp"
#include "ranks/communicators/error_handler.hpp"
#include "ranks/thrown_class.hpp"

using namespace stretto;
using ranks::error_codes, ranks::error_handler, ranks::error_owner, ranks::error_reaction, test::thrown_class;

TEST_CASE("programs add classes, codes and texts") {
  error_codes codes;
  CHECK(codes.last_used() == 16383);
  const int own = codes.add_class();
  const int code = codes.add_code(own), of_mpi = codes.add_code(static_cast<int>(ranks::error_class::argument));
  CHECK(own > 16383);
  CHECK(codes.last_used() == of_mpi);
  CHECK(codes.class_of(own) == own);
  CHECK(codes.class_of(code) == own);
  CHECK(codes.class_of(of_mpi) == static_cast<int>(ranks::error_class::argument));
  CHECK(codes.text_of(code).empty());
  codes.set_text(code, "the pump is dry");
  codes.set_text(own, "trouble with pumps");
  CHECK(codes.text_of(code) == "the pump is dry");
  CHECK(codes.text_of(own) == "trouble with pumps");
  CHECK(codes.text_of(static_cast<int>(ranks::error_class::truncate)).starts_with("MPI_ERR_TRUNCATE"));
  codes.remove_text(code);
  CHECK(codes.text_of(code).empty());
}

TEST_CASE("a class is removed after its codes") {
  using enum ranks::error_class;
  error_codes codes;
  const int own = codes.add_class(), code = codes.add_code(own);
  CHECK(thrown_class([&] { codes.remove_class(own); }) == argument);
  CHECK(thrown_class([&] { codes.remove_class(code); }) == argument);
  CHECK(thrown_class([&] { codes.remove_code(own); }) == argument);
  codes.remove_code(code);
  CHECK(codes.last_used() == own);
  codes.remove_class(own);
  CHECK(codes.last_used() == 16383);
  CHECK(thrown_class([&] { codes.class_of(own); }) == argument);
}

TEST_CASE("codes of MPI cannot be changed") {
  using enum ranks::error_class;
  error_codes codes;
  CHECK(thrown_class([&] { codes.remove_class(13); }) == argument);
  CHECK(thrown_class([&] { codes.set_text(13, "x"); }) == argument);
  CHECK(thrown_class([&] { codes.add_code(5000); }) == argument);
  CHECK(thrown_class([&] { codes.add_code(codes.add_code(codes.add_class())); }) == argument);
  CHECK(thrown_class([&] { codes.text_of(-1); }) == argument);
  const int own = codes.add_class();
  CHECK(thrown_class([&] { codes.set_text(own, std::string(512, 'x')); }) == argument);
  codes.set_text(own, std::string(511, 'x'));
}

TEST_CASE("an error handler lives as long as a reference to it") {
  auto alive = std::make_shared<int>(0);
  auto created =
      ranks::make_counted<const error_handler>(error_owner::communicator, [alive](void*, int& code) { code += 1; });
  ranks::error_handler_ref of_communicator = created;
  auto handle = ranks::error_handler_ref::adopt(created.release());
  CHECK(handle == of_communicator);
  CHECK(handle->call(nullptr, 4) == 5);
  handle = {};
  CHECK(alive.use_count() == 2);
  of_communicator = {};
  CHECK(alive.use_count() == 1);
}

TEST_CASE("predefined error handlers are for objects of every kind") {
  const auto fatal = ranks::predefined_handler(error_reaction::fatal);
  CHECK(fatal == ranks::predefined_handler(error_reaction::fatal));
  CHECK(fatal->is_predefined());
  CHECK(fatal->fits(error_owner::window));
  CHECK(ranks::predefined_handler(error_reaction::return_code)->reaction() == error_reaction::return_code);
  const error_handler of_files(error_owner::file, {});
  CHECK(of_files.fits(error_owner::file));
  CHECK(!of_files.fits(error_owner::communicator));
}
