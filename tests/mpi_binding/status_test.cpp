#include <doctest/doctest.h>

#include <cstdint>

#include "ranks/binding/status.hpp"

using namespace stretto;

TEST_CASE("a status keeps what an operation reports, and its error only where it is asked for") {
  const ranks::message_status result{3, 17, ranks::error_class::truncate, true, std::int64_t{1} << 40, 0};
  MPI_Status status = {};
  status.MPI_ERROR = 77;
  ranks::write_status(&status, result);
  CHECK(status.MPI_SOURCE == 3);
  CHECK(status.MPI_TAG == 17);
  CHECK(status.MPI_ERROR == 77);
  CHECK(ranks::bytes_of(status) == std::int64_t{1} << 40);
  CHECK(ranks::is_cancelled(status));
  ranks::write_status_with_error(&status, result);
  CHECK(status.MPI_ERROR == MPI_ERR_TRUNCATE);
  const ranks::message_status read = ranks::read_status(status);
  CHECK(read.source == result.source);
  CHECK(read.tag == result.tag);
  CHECK(read.error == result.error);
  CHECK(read.is_cancelled);
  CHECK(read.bytes == result.bytes);
}

TEST_CASE("the default result is the empty status of MPI") {
  MPI_Status status = {1, 2, 3, {4, 5, 6, 7, 8}};
  ranks::write_status_with_error(&status, {});
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE);
  CHECK(status.MPI_TAG == MPI_ANY_TAG);
  CHECK(status.MPI_ERROR == MPI_SUCCESS);
  CHECK(ranks::bytes_of(status) == 0);
  CHECK(!ranks::is_cancelled(status));
}

TEST_CASE("programs may ignore a status") {
  ranks::write_status(MPI_STATUS_IGNORE, {});
  ranks::write_status_with_error(MPI_STATUS_IGNORE, {});
}
