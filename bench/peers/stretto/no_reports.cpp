// no_reports.cpp - in the place of reports.cpp where the command is not built.
#include "peers/stretto/benchmarks.hpp"

bench::outcome time_report(const bench::options&) { throw bench::unsupported("the command is not built here"); }
bench::outcome measure_report_memory(const bench::options& o) { return time_report(o); }
