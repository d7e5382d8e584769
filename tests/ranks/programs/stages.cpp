// stages.cpp - prints what runs before and after main, in the order in which it runs, and ends as its argument says.
// A second argument names a file to print to.
#include <unistd.h>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

static std::string lines;  // printed in one piece by the last destructor, which is the first object's
static std::FILE* output = stdout;

static void note(const char* text) { lines += std::string(text) + " "; }

struct printer {
  ~printer() { std::fprintf(output, "%s\n", lines.c_str()); }
} last;

struct stage {
  explicit stage(const char* name) : name(name) { note((std::string("+") + name).c_str()); }
  ~stage() { note((std::string("-") + name).c_str()); }
  const char* name;
};

static stage global("global");
thread_local stage per_thread("thread");

[[gnu::constructor]] static void construct() { note("+constructor"); }
[[gnu::destructor]] static void destruct() { std::fprintf(output, "destructor\n"); }

static int fall() { return *static_cast<volatile int*>(nullptr); }

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "return";
  if (argc > 2) output = std::fopen(argv[2], "w");
  std::atexit([] { note("atexit1"); });
  std::atexit([] { note("atexit2"); });
  static stage in_function("function");
  note(per_thread.name);
  const stage automatic("automatic");
  if (how == "return") return 3;
  if (how == "exit") std::exit(4);
  if (how == "_exit") _exit(5);
  if (how == "quick_exit") std::quick_exit(6);
  if (how == "abort") std::abort();
  if (how == "assert") assert(how == "never");
  if (how == "throw") throw std::runtime_error("thrown");
  if (how == "exit_in_handler") {
    std::atexit([] { std::exit(8); });
    return 7;
  }
  if (how == "crash") return fall();
  if (how == "thread") std::thread([] { std::exit(9); }).join();
  return 2;
}
