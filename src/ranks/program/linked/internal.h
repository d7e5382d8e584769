// internal.h - what the files of this folder share.
#pragma once

#include "program.h"

#pragma GCC visibility push(hidden)
/// Sets the environment that the rank starts with, and releases it when the rank has ended.
void stretto_set_environment(char** entries);
void stretto_release_environment(void);
/// Opens the rank's standard output.
void stretto_open_output(void);
/// The run of this copy of the program, and how it is ended.
void stretto_run_program(struct stretto_run* run);
/// Reports that the working directory was not changed.
void stretto_report_chdir(void);
void stretto_end_run(enum stretto_end how, int code) __attribute__((noreturn));
#pragma GCC visibility pop
