// combination_lock.cpp - one lock for all gangs of the process, of atomic directives and the ends of reductions.
#include "acc/program_calls.hpp"
#include "base/spin_lock.hpp"

namespace {

stretto::base::spin_lock combining;

}  // namespace

void stretto_acc_lock() { combining.lock(); }
void stretto_acc_unlock() { combining.unlock(); }
