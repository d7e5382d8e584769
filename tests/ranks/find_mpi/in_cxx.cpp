// in_cxx.cpp - a C++ program with a library of its own: prints a line that is the same for each rank.
#include <mpi.h>

#include <iostream>
#include <map>
#include <sstream>
#include <string>

extern "C" int next_call();
static thread_local std::map<std::string, int> calls;

int main(int argc, char** argv) {
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  calls["first"] = next_call();
  std::ostringstream line;
  line << calls["first"] << ' ' << calls.size() << '\n';
  std::cout << line.str();
  return MPI_Finalize();
}
