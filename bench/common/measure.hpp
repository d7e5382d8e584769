// measure.hpp - what every benchmark program shares: options, repetitions, one JSON line per
// measurement.
//
// A system under test is one executable with a table of named benchmarks. All systems accept the
// same flags and print the same lines, so the driver can interleave them and compare like with
// like:
//
//     bench_tbb --bench fib --workers 2 --reps 5
//     {"system":"tbb","bench":"fib","workers":2,"size":30,"unit":"ns/task","better":"lower","value":51.4,...}
//
// Threads     used by the main thread only, around the measured code.
// Invariants  (1) a benchmark checks its own answer and throws wrong_answer rather than report a
// time.
//             (2) what a system cannot do is a line with a reason, never a missing line.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct options {
  std::string bench;
  int workers = 1;
  int reps = 5;
  double seconds = 1e9;  ///< no repetition begins after so long; there is always one
  long size = 0;         ///< tasks, hops or the argument of fib; 0 takes the table's default
  std::string tree = "T1";
  std::string pattern = "stencil_1d";
  long width = 4;
  long steps = 1000;
  long radix = 5;
  std::vector<long> iterations{1024};  ///< one measurement per element
  long iteration() const { return iterations.front(); }
};

/// One repetition: the figure and the other members of its JSON line. All series have the same length.
struct outcome {
  double value = 0;
  std::vector<std::pair<std::string, double>> facts{};
  std::vector<std::pair<std::string, std::vector<double>>> series{};
};

enum class better { lower, higher };

/// Figures of memory come from the first run of a process: afterwards a runtime lives on what it
/// kept.
enum class repeat { after_warm_up, once };

struct entry {
  const char* name;
  const char* unit;
  better direction;
  long default_size;
  outcome (*run)(const options&);
  bench::repeat repeat = bench::repeat::after_warm_up;
};

/// The system cannot run this benchmark; the text is the reason that the driver prints.
struct unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The system computed something else than it had to.
struct wrong_answer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct program {
  const char* system;
  std::vector<entry> entries;
  /// Runs the given body with the system's workers up; start-up is never part of a figure.
  std::function<void(const options&, const std::function<void()>&)> with_workers =
      [](const options&, const std::function<void()>& body) { body(); };
  /// Where several processes take part: what the first of them says.
  std::function<bool(bool)> agree = [](bool mine) { return mine; };
  std::FILE* out = stdout;  ///< null: take part, print nothing (ranks other than 0)
};

/// Parses the flags, warms up once, repeats, prints. Returns the exit code of main:
/// 0 measured or unsupported, 1 wrong answer, 2 bad flags.
int run(const program&, int argc, char** argv);

/// Parses `--name value` pairs; throws std::invalid_argument with a sentence for the user.
options parse(const std::vector<std::string>& arguments);

/// The line for one measurement; `samples` is not empty, the value is their median.
std::string json_line(const program&, const entry&, const options&, const std::vector<outcome>& samples);

double median(std::vector<double> values);

class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  double nanoseconds_per(double count) const { return seconds() * 1e9 / count; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Lets the calling thread run on one core only, the `number`-th of those that the process may use, modulo their count.
/// For benchmarks whose peers are bound too, as MPI's ranks and OpenMP's threads are by their launchers.
void bind_to_core(int number);

/// Memory of this process that is in use in RAM, from the kernel; free heap pages are given back
/// first.
double resident_bytes();

/// The Fibonacci number, by iteration: what the recursive benchmarks are checked against.
long fib(long n);

/// Tasks that fork-join fib spawns: one per call with n >= 2, for there the other half is called.
long fib_tasks(long n);

/// The series of matrix products, whose data go to the device and back for each: how many are timed, fewer of the large
/// ones, and how many may be under way at once.
constexpr long products_of_a_series(long side) { return side >= 1024 ? 4 : side >= 512 ? 12 : 100; }
inline constexpr int products_under_way = 8;

/// Copies of so many KiB to a device and back.
constexpr long copies_of(long kib) { return kib >= 65536 ? 10 : kib >= 1024 ? 200 : 1000; }

/// Throws wrong_answer naming `what` unless both are equal.
void expect(const char* what, long got, long wanted);

}  // namespace bench
