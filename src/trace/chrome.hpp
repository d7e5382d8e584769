// chrome.hpp - writes snapshots as a file that chrome://tracing and ui.perfetto.dev open.
//
// Threads     pure, apart from the file.
// Cost        per million spans about 0.15 s and 140 MB of file, with an arrow to each 0.35 s and 310 MB; memory: up to
//             100 bytes per span beside the snapshot.
// Shape       {"displayTimeUnit":"ns","otherData":{...},"traceEvents":[
//             {"ph":"X","pid":0,"tid":1,"ts":12.345,"dur":0.678,"cat":"task","name":"blur","args":{...}},
//             ...
//             ]}
// Invariants  (1) one event per line. So what a crash has cut off loses its last line only: cut the text after
//             its last whole line, put ]} in the place of that line's comma, and it is valid again.
//             (2) the X spans of one pid and tid nest properly, also after rounding to nanoseconds.
//             (3) every arrow leaves from within a span that has its cause as id, enters at the start of one that
//             names this cause, and never goes back in time.
// Source      "Trace Event Format", the public description by the Chromium authors.
//
// pid is the node, tid a lane of one of its tracks. Spans that do not nest on their track (see timeline_rows.hpp)
// go into a further lane, "worker 0 (2)"; suspensions and messages are asynchronous spans, b and e. Ids are
// texts in hexadecimal, because readers in JavaScript keep 53 bits of a number.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>

#include "trace/snapshot.hpp"

namespace stretto::trace {

/// Writes the nodes' snapshots into one timeline, aligned by their clock offsets.
///
/// A file appears whole, in the place of an older one: until then it is "FILE.part-PID-N", which a
/// crash leaves behind and which can be read as far as it goes. So two processes may write the same
/// file; the later one's stays.
///
///   throws   error T01 if the stream or file cannot be written; what a stream has got stays, an
///   older file too
void write_chrome(std::ostream& to, std::span<const snapshot> nodes);
void write_chrome(const std::filesystem::path& file, std::span<const snapshot> nodes);

inline void write_chrome(std::ostream& to, const snapshot& node) { write_chrome(to, {&node, 1}); }
inline void write_chrome(const std::filesystem::path& file, const snapshot& node) { write_chrome(file, {&node, 1}); }

/// Throws T01 where write_chrome could not make that file now. Makes nothing.
void check_writable(const std::filesystem::path& file);

/// The path of a node's own file, next to that of node 0: nodes share a file system.
std::filesystem::path file_of_node(std::filesystem::path first, std::uint32_t node);

}  // namespace stretto::trace
