// data.js - what the page carries: facts as JSON, one column of numbers for each member of a record.
'use strict';
const facts = JSON.parse(document.getElementById('facts').textContent);
const types = {u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array};

function bytes_of(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}
function column(name) {
  const element = document.getElementById('column-' + name);
  const values = new types[element.dataset.type](bytes_of(element.textContent).buffer);
  element.remove();  // the text is not needed any more
  return values;
}
const start = column('start'), length_of = column('length'), self_of = column('self'), label = column('label');
const lane_of = column('lane'), place = column('place'), from_place = column('from'), amount = column('amount');
const id_high = column('id_high'), id_low = column('id_low');
const edge_from = column('edge_from'), edge_to = column('edge_to');
const path_start = column('path_start'), path_end = column('path_end'), path_record = column('path_record'), path_kind = column('path_kind');
const records = start.length;
const end_of = i => start[i] + length_of[i];
const kind_of = i => facts.labels[label[i]].kind;
const id_of = i => '0x' + (BigInt(id_high[i]) << 32n | BigInt(id_low[i])).toString(16);

// For each record where its edges begin in `order`: by their target or by their source.
function offsets(ends) {
  const first = new Uint32Array(records + 1);
  for (const end of ends) ++first[end + 1];
  for (let i = 0; i < records; ++i) first[i + 1] += first[i];
  return first;
}
const first_into = offsets(edge_to), first_out = offsets(edge_from);
const out_order = new Uint32Array(edge_from.length);
{
  const next = first_out.slice();
  edge_from.forEach((from, e) => { out_order[next[from]++] = e; });
}
const causes_of = i => Array.from(edge_from.subarray(first_into[i], first_into[i + 1]));
const effects_of = i => Array.from(out_order.subarray(first_out[i], first_out[i + 1]), e => edge_to[e]);

// The records of each lane in order of start, how deep each is nested, and sums that let a pixel stand for thousands.
const lanes = facts.lanes.map(name => ({name, count: 0}));
const depth = new Uint8Array(records), is_wait = facts.labels.map(l => l.kind === 'wait');
for (let i = 0; i < records; ++i) ++lanes[lane_of[i]].count;
for (const lane of lanes) {
  lane.all = new Uint32Array(lane.count);
  lane.latest_end = new Float64Array(lane.count);  // of all records up to this one
  lane.busy = new Float64Array(lane.count + 1);    // time of all records before this one
  lane.open = [];
  lane.count = 0;
}
for (let i = 0; i < records; ++i) {
  const lane = lanes[lane_of[i]], n = lane.count++;
  while (lane.open.length && end_of(lane.open[lane.open.length - 1]) <= start[i]) lane.open.pop();
  depth[i] = Math.min(lane.open.length, 255);
  lane.open.push(i);
  lane.all[n] = i;
  lane.latest_end[n] = Math.max(n ? lane.latest_end[n - 1] : 0, end_of(i));
  lane.busy[n + 1] = lane.busy[n] + (is_wait[label[i]] ? 0 : self_of[i]);
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
