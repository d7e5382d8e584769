// replacement.h - how the files of this folder define functions of the C library for one program.
//
// The definitions are hidden, so each copy of a program has its own, and weak, so the program's own go first. Their
// variables are in the data of the program: one set per copy, hence per rank.
#pragma once

#define REPLACEMENT __attribute__((weak, visibility("hidden"))) extern
#define REPLACED_VARIABLE __attribute__((weak, visibility("hidden")))
