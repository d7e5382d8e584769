// internal.h - what the files of this folder share.
#pragma once

#include "program.h"

#pragma GCC visibility push(hidden)
/// Sets the environment that the rank starts with, and releases it when the rank has ended.
void stretto_set_environment(char** entries);
void stretto_release_environment(void);
/// Opens the rank's standard output and standard error, whose lines begin with `label`.
void stretto_open_output(const char* label);
/// Writes the lines that have no end yet. Ahead of an error message, the one of standard error gets an end.
void stretto_write_last_lines(int is_error_next);
/// Opens the rank's standard input, which is empty without `has_input`.
void stretto_open_input(int has_input);
/// The run of this copy of the program, and how it is ended.
void stretto_run_program(struct stretto_run* run);
/// Reports that the working directory was not changed.
void stretto_report_chdir(void);
void stretto_end_run(enum stretto_end how, int code) __attribute__((noreturn));
#pragma GCC visibility pop
