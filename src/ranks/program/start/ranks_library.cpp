// ranks_library.cpp - libstretto_ranks: the whole of libstretto, whose floor `ranks` programs and their launcher call.
#include "ranks/program/run_program.hpp"
