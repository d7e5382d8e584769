// demos.hpp - the functions behind the rows of `stretto demo`.
#pragma once

#include "stretto/command.hpp"

namespace stretto::tools {

int demo_wave(const invocation&);
int demo_uts(const invocation&);
int demo_jacobi3d(const invocation&);
int demo_particles(const invocation&);
int demo_life(const invocation&);
int demo_sound(const invocation&);
int demo_rsim(const invocation&);
int demo_bodies(const invocation&);
int demo_cg(const invocation&);
int demo_matrix(const invocation&);
int demo_patterns(const invocation&);
int demo_streams(const invocation&);
int demo_ranks(const invocation&);
int demo_acc(const invocation&);

}  // namespace stretto::tools
