#include "common/measure.hpp"

#include <malloc.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <sstream>

namespace bench {
namespace {

long number(const std::string& flag, const std::string& text, long least) {
  long value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || value < least)
    throw std::invalid_argument(flag + " takes a whole number of at least " + std::to_string(least) + ", not \"" +
                                text + "\"");
  return value;
}

std::vector<long> numbers(const std::string& flag, const std::string& text) {
  std::vector<long> values;
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) values.push_back(number(flag, part, 0));
  if (values.empty()) throw std::invalid_argument(flag + " takes numbers separated by commas");
  return values;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += (c == '\n') ? ' ' : c;
  }
  return out + '"';
}

std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string list_of(const std::vector<double>& values) {
  std::string list = "[";
  for (double value : values) list.append(list.size() == 1 ? "" : ",").append(digits(value));
  return list + "]";
}

void add(std::string& line, const char* name, const std::string& value) {
  line.append(line.empty() ? "{\"" : ",\"").append(name).append("\":").append(value);
}

// The fields of a benchmark's options, with which the lines of measured and of skipped ones begin.
std::string opening(const program& p, const options& o) {
  std::string line;
  add(line, "system", quoted(p.system));
  add(line, "bench", quoted(o.bench));
  add(line, "workers", std::to_string(o.workers));
  if (o.size > 0) add(line, "size", std::to_string(o.size));
  if (o.bench == "uts") add(line, "tree", quoted(o.tree));
  if (!o.bench.starts_with("taskbench")) return line;
  add(line, "pattern", quoted(o.pattern));
  add(line, "width", std::to_string(o.width));
  add(line, "steps", std::to_string(o.steps));
  add(line, "radix", std::to_string(o.radix));
  add(line, "iterations", std::to_string(o.iteration()));
  return line;
}

void print(std::FILE* out, const std::string& line) {
  if (!out) return;
  std::fprintf(out, "%s\n", line.c_str());
  std::fflush(out);
}

const entry& find(const program& p, const std::string& name) {
  for (const entry& e : p.entries)
    if (name == e.name) return e;
  std::string known;
  for (const entry& e : p.entries) known.append(known.empty() ? "" : ", ").append(e.name);
  throw unsupported(std::string(p.system) + " has no benchmark \"" + name + "\"; it has " + known);
}

void measure(const program& p, options o) {
  const entry& e = find(p, o.bench);
  if (o.size == 0) o.size = e.default_size;
  p.with_workers(o, [&] {
    for (long iterations : std::vector<long>(o.iterations)) {
      o.iterations = {iterations};
      if (e.repeat == repeat::after_warm_up) e.run(o);
      const int reps = e.repeat == repeat::once ? 1 : o.reps;
      std::vector<outcome> samples;
      const stopwatch clock;
      do samples.push_back(e.run(o));
      while (static_cast<int>(samples.size()) < reps && p.agree(clock.seconds() < o.seconds));
      print(p.out, json_line(p, e, o, samples));
    }
  });
}

}  // namespace

options parse(const std::vector<std::string>& arguments) {
  options o;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string& flag = arguments[i];
    if (i + 1 == arguments.size()) throw std::invalid_argument(flag + " needs a value");
    const std::string& value = arguments[i + 1];
    if (flag == "--bench") o.bench = value;
    else if (flag == "--workers") o.workers = static_cast<int>(number(flag, value, 1));
    else if (flag == "--reps") o.reps = static_cast<int>(number(flag, value, 1));
    else if (flag == "--milliseconds") o.seconds = 1e-3 * static_cast<double>(number(flag, value, 1));
    else if (flag == "--size") o.size = number(flag, value, 0);
    else if (flag == "--tree") o.tree = value;
    else if (flag == "--pattern") o.pattern = value;
    else if (flag == "--width") o.width = number(flag, value, 1);
    else if (flag == "--steps") o.steps = number(flag, value, 1);
    else if (flag == "--radix") o.radix = number(flag, value, 0);
    else if (flag == "--iterations") o.iterations = numbers(flag, value);
    else
      throw std::invalid_argument(flag +
                                  " is not a flag; there are --bench --workers --reps --milliseconds --size --tree "
                                  "--pattern --width --steps --radix --iterations");
  }
  if (o.bench.empty()) throw std::invalid_argument("--bench NAME is missing");
  return o;
}

std::string json_line(const program& p, const entry& e, const options& o, const std::vector<outcome>& samples) {
  std::vector<double> values;
  for (const outcome& s : samples) values.push_back(s.value);
  const double best = e.direction == better::lower ? *std::min_element(values.begin(), values.end())
                                                   : *std::max_element(values.begin(), values.end());
  std::string line = opening(p, o);
  add(line, "unit", quoted(e.unit));
  add(line, "better", e.direction == better::lower ? "\"lower\"" : "\"higher\"");
  add(line, "reps", std::to_string(samples.size()));
  add(line, "value", digits(median(values)));
  add(line, "best", digits(best));
  const auto of_best = std::find(values.begin(), values.end(), best) - values.begin();
  for (const auto& [name, value] : samples[of_best].facts) add(line, name.c_str(), digits(value));
  if (const auto& series = samples[of_best].series; !series.empty()) {
    std::string all;
    for (const auto& [name, column] : series) add(all, name.c_str(), list_of(column));
    add(line, "series", all + "}");
  }
  add(line, "samples", list_of(values));
  return line + "}";
}

int run(const program& p, int argc, char** argv) {
  options o;
  try {
    o = parse({argv + 1, argv + argc});
    measure(p, o);
    return 0;
  } catch (const unsupported& reason) {
    std::string line = opening(p, o);
    add(line, "skipped", quoted(reason.what()));
    print(p.out, line + "}");
    return 0;
  } catch (const wrong_answer& fault) {
    std::fprintf(stderr, "bench %s %s: wrong answer: %s\n", p.system, o.bench.c_str(), fault.what());
    return 1;
  } catch (const std::invalid_argument& fault) {
    std::fprintf(stderr, "bench %s: %s\n", p.system, fault.what());
    return 2;
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

void bind_to_core(int number) {
  static const cpu_set_t allowed = [] {  // of the process, before any of its threads was bound
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(getpid(), sizeof set, &set) != 0) CPU_ZERO(&set);
    return set;
  }();
  const int count = CPU_COUNT(&allowed);
  if (count == 0) return;
  int core = -1;
  for (int left = number % count; left >= 0; --left) do
      ++core;
    while (!CPU_ISSET(core, &allowed));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);  // if the system refuses, the thread stays unbound
}

double resident_bytes() {
  malloc_trim(0);
  long pages = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (!file || std::fscanf(file, "%ld %ld", &pages, &resident) != 2)
    throw unsupported("/proc/self/statm cannot be read here");
  std::fclose(file);
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

long fib(long n) {
  long now = 0, next = 1;
  for (long i = 0; i < n; ++i) now = std::exchange(next, now + next);
  return now;
}

long fib_tasks(long n) { return fib(n + 1) - 1; }

void expect(const char* what, long got, long wanted) {
  if (got != wanted)
    throw wrong_answer(std::string(what) + " is " + std::to_string(got) + ", must be " + std::to_string(wanted));
}

}  // namespace bench
