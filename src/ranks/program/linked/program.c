// program.c - what makes a shared object a program: the kernel's loader for it, and the table for ours.
#include "program.h"

#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

// The kernel starts this file in place of the program (src/ranks/program/start.c). `stretto cc` corrects the path.
__attribute__((section(".interp"), used)) static const char start_path[1024] = STRETTO_RANKS_START;

// Capacity for the dynamic section of a copy, where it names libraries of its own (private_libraries.cpp).
__attribute__((visibility("default"), used, aligned(16), section(".data"))) char stretto_program_area[16384];

extern int main(int, char**, char**) __attribute__((weak));
extern char** environ;
int on_exit(void (*)(int, void*), void*);
int __cxa_atexit(void (*)(void*), void*, void*);
int __cxa_thread_atexit(void (*)(void*), void*, void*);
int __posix_getopt(int, char* const*, const char*);
void __assert_fail(const char*, const char*, unsigned, const char*);
int __printf_chk(int, const char*, ...);
int __vprintf_chk(int, const char*, va_list);
_Bool _ZNSt8ios_base15sync_with_stdioEb(_Bool);

#define BOTH(name) {#name, (void*)&name}
static const struct stretto_replacement replacements[] = {BOTH(rand),
                                                          BOTH(srand),
                                                          BOTH(random),
                                                          BOTH(srandom),
                                                          BOTH(initstate),
                                                          BOTH(setstate),
                                                          BOTH(drand48),
                                                          BOTH(erand48),
                                                          BOTH(lrand48),
                                                          BOTH(nrand48),
                                                          BOTH(mrand48),
                                                          BOTH(jrand48),
                                                          BOTH(srand48),
                                                          BOTH(seed48),
                                                          BOTH(lcong48),
                                                          BOTH(strtok),
                                                          BOTH(localtime),
                                                          BOTH(gmtime),
                                                          BOTH(asctime),
                                                          BOTH(ctime),
                                                          BOTH(getopt),
                                                          BOTH(__posix_getopt),
                                                          BOTH(getopt_long),
                                                          BOTH(getopt_long_only),
                                                          BOTH(optarg),
                                                          BOTH(optind),
                                                          BOTH(opterr),
                                                          BOTH(optopt),
                                                          BOTH(setlocale),
                                                          BOTH(environ),
                                                          {"__environ", (void*)&environ},
                                                          BOTH(getenv),
                                                          BOTH(secure_getenv),
                                                          BOTH(setenv),
                                                          BOTH(unsetenv),
                                                          BOTH(putenv),
                                                          BOTH(clearenv),
                                                          BOTH(execv),
                                                          BOTH(execvp),
                                                          BOTH(execl),
                                                          BOTH(execlp),
                                                          BOTH(system),
                                                          BOTH(popen),
                                                          BOTH(pclose),
                                                          BOTH(chdir),
                                                          BOTH(fchdir),
                                                          BOTH(exit),
                                                          BOTH(_exit),
                                                          BOTH(_Exit),
                                                          BOTH(quick_exit),
                                                          BOTH(abort),
                                                          BOTH(__assert_fail),
                                                          BOTH(atexit),
                                                          BOTH(at_quick_exit),
                                                          BOTH(on_exit),
                                                          BOTH(__cxa_atexit),
                                                          BOTH(__cxa_thread_atexit),
                                                          BOTH(stdout),
                                                          BOTH(stderr),
                                                          BOTH(stdin),
                                                          BOTH(perror),
                                                          BOTH(getchar),
                                                          BOTH(getchar_unlocked),
                                                          BOTH(printf),
                                                          BOTH(vprintf),
                                                          BOTH(__printf_chk),
                                                          BOTH(__vprintf_chk),
                                                          BOTH(puts),
                                                          BOTH(putchar),
                                                          BOTH(putchar_unlocked),
                                                          BOTH(_ZNSt8ios_base15sync_with_stdioEb),
                                                          {"scanf", (void*)&scanf},
                                                          {"vscanf", (void*)&vscanf},
                                                          {"__isoc99_scanf", (void*)&scanf},
                                                          {"__isoc99_vscanf", (void*)&vscanf},
                                                          {NULL, NULL}};

__attribute__((visibility("default"), used)) const struct stretto_program stretto_program = {
    stretto_program_version,  main,      stretto_run_program, stretto_end_run, replacements, &stdout, &stderr,
    stretto_write_last_lines, start_path};
