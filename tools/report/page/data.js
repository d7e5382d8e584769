// data.js - what the page carries: facts as JSON, and behind the script the records, packed; see packing.hpp.
'use strict';
const facts = JSON.parse(document.getElementById('facts').textContent);
const records = facts.records;

function bytes_of(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

let packed = null;  // all columns
async function unpack() {
  const element = document.getElementById('records');
  const stream = new Blob([bytes_of(element.textContent)]).stream().pipeThrough(new DecompressionStream('deflate'));
  element.remove();  // the text is not needed any more
  packed = new Uint8Array(await new Response(stream).arrayBuffer());
}
function column(name) {
  const {at, count, wide} = facts.columns[name], values = wide ? new Float64Array(count) : new Uint32Array(count);
  let p = at;
  for (let i = 0; i < count; ++i) {
    let more = packed[p++];
    if (more < 128) {
      values[i] = more;
      continue;
    }
    let value = more - 128, unit = 128;
    do {
      more = packed[p++];
      value += (more & 127) * unit;
      unit *= 128;
    } while (more > 127);
    values[i] = value;
  }
  return values;
}
// Sums of differences; times are exact up to 2^53 ns, a hundred days.
function summed(differences) {
  const values = new Float64Array(differences.length);
  let sum = 0;
  for (let i = 0; i < values.length; ++i) values[i] = sum += differences[i];
  return values;
}
// Made when first asked for.
function later(make) {
  let made;
  return () => made ??= make();
}
const columns = {};
for (const name in facts.columns) columns[name] = later(() => column(name));

// What the timeline draws; nothing until load_records().
let start, length_of, nested, label, lane_of, depth, path_start, path_length, path_record;
let message_sent, message_length, message_from, message_to;
const is_here = () => start !== undefined;
const end_of = i => start[i] + length_of[i];
const self_of = i => length_of[i] - nested[i];
const kind_of = i => facts.labels[label[i]].kind;

const id_column = name => later(() => {
  const differences = columns[name](), values = new Float64Array(records);
  const latest = new Float64Array(facts.lanes.length);
  for (let i = 0; i < records; ++i) {
    const by = differences[i];
    values[i] = latest[lane_of[i]] += by % 2 ? -(by + 1) / 2 : by / 2;
  }
  return values;
});
const id_high = id_column('id_high'), id_low = id_column('id_low');
const id_of = i => '0x' + (BigInt(id_high()[i]) << 32n | BigInt(id_low()[i])).toString(16);

// For each record where its edges begin, by target and by source.
const edges = later(() => {
  const counts = columns.edges(), back = columns.edge_back();
  const from = new Uint32Array(back.length), into = new Uint32Array(records + 1), out = new Uint32Array(records + 1);
  for (let i = 0, e = 0; i < records; ++i) {
    into[i + 1] = into[i] + counts[i];
    for (; e < into[i + 1]; ++e) ++out[(from[e] = i - back[e]) + 1];
  }
  for (let i = 0; i < records; ++i) out[i + 1] += out[i];
  const next = out.slice(), to = new Uint32Array(back.length);
  for (let i = 0, e = 0; i < records; ++i) for (; e < into[i + 1]; ++e) to[next[from[e]]++] = i;
  return {from, to, into, out};
});
const causes_of = i => Array.from(edges().from.subarray(edges().into[i], edges().into[i + 1]));
const effects_of = i => Array.from(edges().to.subarray(edges().out[i], edges().out[i + 1]));

// The records of each lane in order of start, how deep each is nested, and sums that let a pixel stand for thousands.
const lanes = facts.lanes.map(name => ({name, count: 0}));
function load_records() {
  [length_of, nested, label, lane_of] = ['length', 'nested', 'label', 'lane'].map(column);
  path_start = summed(column('path_start'));
  path_length = column('path_length');
  path_record = column('path_record');
  message_sent = summed(column('message_sent'));
  [message_length, message_from, message_to] = ['message_length', 'message_from', 'message_to'].map(column);
  start = summed(column('start'));
  depth = new Uint8Array(records);
  const is_wait = facts.labels.map(l => l.kind.endsWith('wait'));
  for (let i = 0; i < records; ++i) ++lanes[lane_of[i]].count;
  for (const lane of lanes) {
    lane.all = new Uint32Array(lane.count);
    lane.latest_end = new Float64Array(lane.count);  // of all records up to this one
    lane.busy = new Float64Array(lane.count + 1);    // time of all records before this one
    lane.open = [];
    lane.count = 0;
  }
  for (let i = 0; i < records; ++i) {
    const lane = lanes[lane_of[i]], n = lane.count++, open = lane.open;
    while (open.length && end_of(open[open.length - 1]) <= start[i]) open.pop();
    depth[i] = Math.min(open.length, 255);
    open.push(i);
    lane.all[n] = i;
    lane.latest_end[n] = Math.max(n ? lane.latest_end[n - 1] : 0, end_of(i));
    lane.busy[n + 1] = lane.busy[n] + (is_wait[label[i]] ? 0 : self_of(i));
  }
}

// The first of `count` numbers for which is_behind(number) holds; it must hold for all later ones.
function first_where(count, is_behind, low = 0) {
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (is_behind(middle)) high = middle; else low = middle + 1;
  }
  return low;
}
function time_text(ns) {
  for (const [unit, size] of [['s', 1e9], ['ms', 1e6], ['us', 1e3]])
    if (Math.abs(ns) >= 0.9995 * size) return (ns / size).toPrecision(3) + ' ' + unit;
  return Math.round(ns) + ' ns';
}
const share_text = (part, whole) => (whole ? 100 * part / whole : 0).toFixed(1) + ' %';
