// checks.hpp - what a test program of several processes has at hand: checks that are counted, and what something
// throws.
#pragma once

#include <stretto/error.hpp>
#include <stretto/stretto.hpp>
#include <stretto_mpi/mpi.hpp>

#include <atomic>
#include <cstdio>
#include <exception>
#include <string>

inline std::atomic<int> failures{0};

inline void check(bool ok, const char* what, std::source_location where = std::source_location::current()) {
  if (ok) return;
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::printf("FAILED on rank %d, line %u: %s\n", rank, where.line(), what);
  std::fflush(stdout);
  ++failures;
}

/// The whole text of the error that `body` throws; empty if it throws none.
template <class Body>
std::string thrown_by(Body&& body) {
  try {
    body();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

inline bool has(const std::string& text, const char* part) {
  if (text.find(part) != std::string::npos) return true;
  std::printf("not found: \"%s\" in\n%s\n", part, text.c_str());
  return false;
}
