// chrome.hpp - writes snapshots as a file that chrome://tracing and ui.perfetto.dev open.
//
// Threads     pure, apart from the file.
// Cost        per million spans about 0.15 s and 140 MB of file, with an arrow to each 0.35 s and 310 MB; memory: up to
//             100 bytes per span beside the snapshot.
// Shape       {"displayTimeUnit":"ns","otherData":{...},"traceEvents":[
//             {"ph":"X","pid":0,"tid":1,"ts":12.345,"dur":0.678,"cat":"task","name":"blur","args":{...}},
//             ...
//             ]}
// Invariants  (1) one event per line, so a crash costs only the last line: a reader removes the text after the
//             last whole line and replaces the comma of that line by ]} to get valid JSON.
//             (2) the X spans of one pid and tid nest properly, also after rounding to nanoseconds.
//             (3) every arrow leaves from within a span that has its cause as id, enters at the start of one that
//             names this cause, and never goes back in time.
// Source      "Trace Event Format", the public description by the Chromium authors.
//
// pid is the node, tid a row of one of its tracks. Spans that do not nest on their track (see timeline_rows.hpp)
// get a further row, "worker 0 (2)". Suspensions and messages are asynchronous spans (ph b and e). Ids are
// hexadecimal strings, because readers in JavaScript keep 53 bits of a number.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>

#include "trace/snapshot.hpp"

namespace stretto::trace {

/// Writes the nodes' snapshots into one timeline, aligned by their clock offsets.
///
/// The second form writes "FILE.part-PID-N" and renames it to FILE, also over an older file, when it is complete. A
/// crash leaves the partial file, which can be read up to its last whole line. Two processes may write the same FILE:
/// the one that renames last wins.
///
///   throws   error T01 if the stream or file cannot be written. An older FILE then stays as it was; a stream keeps
///            what
///   was written to it.
void write_chrome(std::ostream& to, std::span<const snapshot> nodes);
void write_chrome(const std::filesystem::path& file, std::span<const snapshot> nodes);

inline void write_chrome(std::ostream& to, const snapshot& node) { write_chrome(to, {&node, 1}); }
inline void write_chrome(const std::filesystem::path& file, const snapshot& node) { write_chrome(file, {&node, 1}); }

/// Throws T01 if write_chrome could not create that file now. Leaves no file behind.
void check_writable(const std::filesystem::path& file);

/// The path of a node's own file, next to that of node 0: nodes share a file system.
std::filesystem::path file_of_node(std::filesystem::path first, std::uint32_t node);

}  // namespace stretto::trace
