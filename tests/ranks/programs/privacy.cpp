// privacy.cpp - an ordinary program: all that a process has for itself is checked to be as in a process of its own.
#include <getopt.h>
#include <locale.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  std::ostringstream line;
  line << "rank " << std::getenv("STRETTO_RANK") << ": " << what << '\n';
  std::cerr << line.str();
  ++failures;
}

int counter = 1;
static int zeroed[1000];
int* const to_counter = &counter;  // a relocation
struct node {
  int* value;
  node* next;
};
node second{&zeroed[7], nullptr}, first{&counter, &second};
int (*const function)(const char*) = &std::atoi;
thread_local int per_thread = 5;
thread_local std::vector<int> vector_per_thread{1, 2, 3};
std::string constructed = "made by a constructor";
int error = 4;  // a function of the C library has this name

template <class T>
struct holder {
  static inline std::vector<T> all;  // one for the process, where the symbol says so
};

inline int& inline_static() {
  static int value = 0;
  return value;
}

struct shape {
  virtual ~shape() = default;
  virtual int corners() const = 0;
};
struct square : shape {
  int corners() const override { return 4; }
};

// Other ranks run meanwhile.
void pause_for_others() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

void check_variables() {
  ++counter, ++error, ++zeroed[7], ++per_thread, ++inline_static();
  holder<int>::all.push_back(1);
  vector_per_thread.push_back(4);
  pause_for_others();
  check(counter == 2 && *to_counter == 2 && to_counter == &counter, "a variable");
  check(first.value == &counter && *first.next->value == 1, "pointers in constants");
  check(error == 5, "a variable named as a function of the C library");
  check(per_thread == 6 && vector_per_thread.size() == 4, "a thread-local variable");
  check(inline_static() == 1, "a variable of an inline function");
  check(holder<int>::all.size() == 1, "a variable of a template");
  check(constructed == "made by a constructor" && function("17") == 17, "a constructor");
  int other = 0;
  std::thread([&] { other = per_thread; }).join();
  check(other == 5, "a thread-local variable of another thread");
}

void check_exceptions() {
  try {
    std::vector<int>().at(3);
    check(false, "no exception");
  } catch (const std::out_of_range&) {
  }
  struct own : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  try {
    throw own("mine");
  } catch (const std::exception& e) {
    check(std::string(e.what()) == "mine" && dynamic_cast<const own*>(&e), "an exception of the program");
  }
  const shape* const s = new square;
  check(s->corners() == 4 && dynamic_cast<const square*>(s), "a dynamic cast");
  delete s;
}

void check_random_numbers() {
  check(std::rand() == 1804289383, "rand without srand");  // published values of the GNU C library
  std::srand(42);
  pause_for_others();
  check(std::rand() == 71876166 && std::rand() == 708592740, "rand after srand(42)");
  srand48(7);
  const double value = drand48();
  pause_for_others();
  srand48(7);
  check(drand48() == value, "drand48");
  char state[64];
  initstate(3, state, sizeof state);
  const long number = random();
  pause_for_others();
  srandom(3);
  check(random() == number, "random");
}

void check_tokens() {
  char text[] = "one,two,three";
  std::string joined;
  for (char* token = std::strtok(text, ","); token; token = std::strtok(nullptr, ",")) {
    joined += token;
    pause_for_others();
  }
  check(joined == "onetwothree", "strtok");
}

void check_options(int argc, char** argv) {
  const option all[] = {{"size", required_argument, nullptr, 's'}, {nullptr, 0, nullptr, 0}};
  std::string seen;
  for (int c; (c = getopt_long(argc, argv, "ab:", all, nullptr)) != -1;) {
    seen += static_cast<char>(c);
    if (optarg) seen += optarg;
    pause_for_others();
  }
  check(seen == "ab2s30" && argv[optind] && std::string(argv[optind]) == "rest", "getopt_long");
}

void check_environment() {
  const std::string rank = std::getenv("STRETTO_RANK");
  setenv("OWN", rank.c_str(), 1);
  pause_for_others();
  check(rank == std::getenv("OWN"), "setenv");
  unsetenv("OWN");
  check(!std::getenv("OWN") && std::getenv("PATH"), "unsetenv");
}

void check_locale() {
  const int rank = std::atoi(std::getenv("STRETTO_RANK"));
  setlocale(LC_ALL, rank % 2 ? "C.UTF-8" : "C");
  pause_for_others();
  check(std::string(setlocale(LC_ALL, nullptr)) == (rank % 2 ? "C.UTF-8" : "C"), "setlocale");
  check(MB_CUR_MAX == (rank % 2 ? 6 : 1), "the locale in force");
  errno = 100 + rank;
  pause_for_others();
  check(errno == 100 + rank, "errno");
}

}  // namespace

int main(int argc, char** argv) {
  check_variables();
  check_exceptions();
  check_random_numbers();
  check_tokens();
  check_options(argc, argv);
  check_environment();
  check_locale();
  check(chdir("/") == -1 && chdir(".") == 0, "chdir");
  std::cout << (argc > 6 ? "done\n" : "");
  return failures == 0 ? 0 : 1;
}
