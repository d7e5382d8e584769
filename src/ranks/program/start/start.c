// start.c - the interpreter of programs that `stretto cc` made: the kernel starts it in their place.
//
// It replaces itself by the launcher next to it, with the program's arguments and, in the environment, its path. So the
// program itself is not mapped into the process, but for the copies that the launcher's library loads. It runs without
// a C library, whose start would take the program's headers for its own.
#include <elf.h>
#include <stddef.h>
#include <sys/syscall.h>

enum { path_size = 4096, failed = 127 };

static long call(long number, long a, long b, long c, long d) {
#ifdef __x86_64__
  long result;
  register long r10 __asm__("r10") = d;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
#elif defined __aarch64__
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
#endif
}

static size_t length(const char* text) {
  size_t n = 0;
  while (text[n]) ++n;
  return n;
}

static __attribute__((noreturn)) void fail(const char* what, const char* path) {
  const char* const parts[] = {"error R80: ", what, " \"", path, "\"\n  try         link the program again\n"};
  for (int i = 0; i < 5; ++i) call(SYS_write, 2, (long)parts[i], (long)length(parts[i]), 0);
  for (;;) call(SYS_exit_group, failed, 0, 0, 0);
}

// The path under which the kernel found this file: the program says it.
static const char* own_path(const Elf64_auxv_t* entries) {
  const Elf64_Phdr* headers = NULL;
  size_t count = 0;
  for (; entries->a_type != AT_NULL; ++entries) {
    if (entries->a_type == AT_PHDR) headers = (const Elf64_Phdr*)entries->a_un.a_val;
    if (entries->a_type == AT_PHNUM) count = entries->a_un.a_val;
  }
  const char* const base = (const char*)headers - sizeof(Elf64_Ehdr);
  for (size_t i = 0; i < count; ++i)
    if (headers[i].p_type == PT_INTERP) return base + headers[i].p_vaddr;
  fail("no interpreter in", "the program");
}

static void make_launcher_path(char* launcher, const char* start) {
  size_t size = 0;
  for (size_t i = 0; start[i] && i + 32 < path_size; ++i) {
    launcher[i] = start[i];
    if (start[i] == '/') size = i + 1;
  }
  const char name[] = "ranks_launcher";
  for (size_t i = 0; i < sizeof name; ++i) launcher[size + i] = name[i];
}

static const char program_variable[] = "STRETTO_RANKS_PROGRAM=";

static int names_program(const char* entry) {
  for (size_t i = 0; i + 1 < sizeof program_variable; ++i)
    if (entry[i] != program_variable[i]) return 0;
  return 1;
}

// The entry of the environment that has the program's path.
static void make_program_entry(char* entry) {
  const size_t name = sizeof program_variable - 1;
  for (size_t i = 0; i < name; ++i) entry[i] = program_variable[i];
  const long size = call(SYS_readlinkat, -100, (long)"/proc/self/exe", (long)(entry + name), path_size - 1);
  if (size <= 0) fail("no file", "/proc/self/exe");
  entry[name + (size_t)size] = 0;
}

__attribute__((noreturn, used)) void stretto_start(long* stack) {
  const long argc = stack[0];
  const char** const argv = (const char**)stack + 1;
  const char** const environment = argv + argc + 1;
  const char** end = environment;
  while (*end) ++end;
  char launcher[path_size], program[sizeof program_variable + path_size];
  make_launcher_path(launcher, own_path((const Elf64_auxv_t*)(end + 1)));
  make_program_entry(program);
  const char* variables[end - environment + 2];
  size_t count = 0;
  for (const char** entry = environment; entry < end; ++entry)
    if (!names_program(*entry)) variables[count++] = *entry;
  variables[count++] = program;
  variables[count] = NULL;
  const char* unnamed[] = {program + sizeof program_variable - 1, NULL};
  call(SYS_execve, (long)launcher, (long)(argc > 0 ? argv : unnamed), (long)variables, 0);
  fail("the program needs the file, which cannot be run,", launcher);
}

#ifdef __x86_64__
__asm__(".globl _start\n_start:\n  xor %ebp, %ebp\n  mov %rsp, %rdi\n  and $-16, %rsp\n  call stretto_start\n");
#elif defined __aarch64__
__asm__(".globl _start\n_start:\n  mov x0, sp\n  bl stretto_start\n");
#endif
