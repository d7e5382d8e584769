// ranks_library.cpp - libstretto_ranks: the whole of libstretto, whose floor `ranks` programs and their launcher call.
#include "ranks/run_program.hpp"
