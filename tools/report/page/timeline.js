// timeline.js - draws the lanes between two times; zoom, search, selection.
'use strict';
const canvas = document.getElementById('timeline'), view = document.getElementById('view');
const pen = canvas.getContext('2d');
const row = 24, axis = 22, names_width = 130;
const colours = {task: 45, copy: 210, fill: 190, reduce: 20, kernel: 120, message: 280, wait: -1, user: 330,
  suspended: -1, other: 0, 'message wait': -1, 'receive wait': -1, 'collective wait': -1};
const shown = {from: 0, to: facts.length || 1, selected: -1, query: '', hidden: new Set(), path: true, messages: true};
let matches = null;  // by label; null: all
const hues = facts.labels.map(() => null);
function hue(l) {
  if (hues[l]) return hues[l];
  const {name, kind} = facts.labels[l], angle = colours[kind];
  let hash = 7;
  if (kind === 'task') for (const c of name.replace(/\d+/g, '#')) hash = (hash * 31 + c.codePointAt(0)) >>> 0;
  return hues[l] = angle < 0 ? '#9996' : kind === 'task' ? `hsl(${hash % 360} 55% 60%)` : `hsl(${angle} 60% 60%)`;
}
const spacer = document.createElement('div');
view.append(spacer);

view.style.height = Math.min(420, axis + lanes.length * row + 24) + 'px';

let canvas_width = 1;  // asking the document for it anew would cost more than drawing
const width = () => canvas_width - names_width;
const x_of = t => names_width + (t - shown.from) / (shown.to - shown.from) * width();
const t_of = x => shown.from + (x - names_width) / width() * (shown.to - shown.from);
const y_of = lane => axis + lane * row - view.scrollTop;
const is_hidden = i => shown.hidden.has(kind_of(i));
const is_dim = i => matches !== null && !matches[label[i]];

// The whole run in slices of time, until the records are here.
const overview_busy = bytes_of(facts.overview.busy);
function draw_overview(k, y) {
  const {slices, labels} = facts.overview, slice = facts.length / slices;
  for (let s = 0; s < slices; ++s) {
    const cell = k * slices + s;
    if (!overview_busy[cell]) continue;
    pen.globalAlpha = Math.min(1, .25 + overview_busy[cell] / 255);
    pen.fillStyle = hue(labels[cell]);
    pen.fillRect(x_of(s * slice), y + 2, Math.max(1, slice / (shown.to - shown.from) * width()), row - 5);
  }
  pen.globalAlpha = 1;
}

function draw_lane(lane, y) {
  const pixel = (shown.to - shown.from) / width();
  let n = first_where(lane.all.length, k => lane.latest_end[k] > shown.from);
  while (n < lane.all.length) {
    const i = lane.all[n];
    if (start[i] > shown.to) break;
    if (length_of[i] >= 2 * pixel) {
      if (!is_hidden(i) && end_of(i) >= shown.from) draw_record(i, y);
      ++n;
      continue;
    }
    // All that begins within this pixel: as dark as the lane was busy. A long record ends the pixel's crowd.
    const limit = start[i] + pixel;
    const next = first_where(lane.all.length, k => start[lane.all[k]] >= limit, n + 1);
    let stop = n + 1;
    const looked_at = Math.min(next, n + 32);
    while (stop < looked_at && length_of[lane.all[stop]] < 2 * pixel) ++stop;
    if (stop === looked_at) stop = next;
    let seen = -1;
    for (let k = n; k < Math.min(stop, n + 32) && seen < 0; ++k)
      if (!is_hidden(lane.all[k]) && !is_dim(lane.all[k])) seen = lane.all[k];
    const some = seen < 0 ? i : seen;
    if (!is_hidden(some)) {
      pen.globalAlpha = (seen < 0 ? .15 : 1) * Math.min(1, .25 + (lane.busy[stop] - lane.busy[n]) / pixel);
      pen.fillStyle = hue(label[some]);
      const pixels = Math.max(1, (end_of(lane.all[stop - 1]) - start[i]) / pixel);
      pen.fillRect(x_of(start[i]), y + 2 + Math.min(depth[i], 4) * 2, pixels, row - 5);
    }
    n = stop;
  }
  pen.globalAlpha = 1;
}

function draw_record(i, y) {
  const left = Math.max(x_of(start[i]), names_width), right = Math.min(x_of(end_of(i)), canvas_width);
  const inset = 2 + Math.min(depth[i], 4) * 2;
  pen.globalAlpha = is_dim(i) ? .15 : 1;
  pen.fillStyle = hue(label[i]);
  pen.fillRect(left, y + inset, Math.max(1, right - left - .5), row - 3 - inset);
  if (i === shown.selected) {
    pen.strokeStyle = text_colour;
    pen.lineWidth = 2;
    pen.strokeRect(left, y + inset, Math.max(2, right - left - .5), row - 3 - inset);
  }
  if (right - left > 40 && depth[i] < 4) {
    pen.fillStyle = '#000';
    const text = facts.labels[label[i]].name.slice(0, Math.floor((right - left) / 6));
    pen.fillText(text, left + 3, y + row / 2 + 1, right - left - 4);
  }
}

function draw_arrow(a, b, colour) {
  const x1 = x_of(Math.min(end_of(a), start[b])), y1 = y_of(lane_of[a]) + row / 2;
  const x2 = x_of(start[b]), y2 = y_of(lane_of[b]) + row / 2;
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.bezierCurveTo(x1 + 25, y1, x2 - 25, y2, x2, y2);
  pen.stroke();
  draw_head(x2, y2, 0);
}
function draw_head(x, y, angle) {
  const corner = by => [x - 8 * Math.cos(angle + by), y - 8 * Math.sin(angle + by)];
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(...corner(.5));
  pen.lineTo(...corner(-.5));
  pen.fill();
}

// Messages between ranks that are sent in view. Of more than can be told apart, as many as can, spread evenly.
const most_messages = 3000;
function draw_messages() {
  const end = first_where(message_sent.length, k => message_sent[k] > shown.to);
  const begin = first_where(end, k => message_sent[k] >= shown.from - longest_message());
  pen.strokeStyle = pen.fillStyle = text_colour;
  pen.lineWidth = 1;
  pen.globalAlpha = .6;
  for (let k = begin, step = Math.max(1, Math.ceil((end - begin) / most_messages)); k < end; k += step) {
    if (message_sent[k] + message_length[k] < shown.from) continue;
    const x1 = x_of(message_sent[k]), y1 = y_of(message_from[k]) + row / 2;
    const x2 = x_of(message_sent[k] + message_length[k]), y2 = y_of(message_to[k]) + row / 2;
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
    draw_head(x2, y2, Math.atan2(y2 - y1, x2 - x1));
  }
  pen.globalAlpha = 1;
}
const longest_message = later(() => message_length.reduce((a, b) => Math.max(a, b), 0));

function draw_path() {
  pen.strokeStyle = '#d33';
  pen.lineWidth = 2;
  pen.beginPath();
  const path_end = n => path_start[n] + path_length[n], pixel = (shown.to - shown.from) / width();
  let n = first_where(path_start.length, k => path_end(k) >= shown.from);
  if (n < path_start.length) pen.moveTo(x_of(path_start[n]), y_of(lane_of[path_record[n]]) + row - 2);
  while (n < path_start.length && path_start[n] <= shown.to) {
    const y = y_of(lane_of[path_record[n]]) + row - 2;
    pen.lineTo(x_of(path_start[n]), y);
    pen.lineTo(x_of(path_end(n)), y);
    // One of the pieces that share half a pixel stands for all.
    const limit = path_end(n) + pixel / 2;
    const is_crowded = ++n < path_start.length && path_length[n] < pixel;
    if (is_crowded) n = first_where(path_start.length, k => path_end(k) >= limit, n);
  }
  pen.stroke();
}

function draw_axis() {
  const span = shown.to - shown.from, rough = span / Math.max(2, width() / 110);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find(m => m * unit >= rough) * unit;
  pen.clearRect(0, 0, canvas_width, axis);
  pen.fillStyle = text_colour;
  for (let t = Math.max(0, Math.ceil(shown.from / step) * step); t <= shown.to; t += step) {
    const digits = Math.max(0, Math.ceil(Math.log10(Math.abs(t) / step + 1)));
    const [name, size] = t >= 1e9 ? ['s', 1e9] : t >= 1e6 ? ['ms', 1e6] : t >= 1e3 ? ['us', 1e3] : ['ns', 1];
    pen.fillText(+(t / size).toPrecision(Math.max(3, digits + 1)) + ' ' + name, x_of(t) + 3, 12);
    pen.fillRect(x_of(t), 0, 1, axis - 4);
  }
}

let text_colour = '#000', asked = false;
function draw() {
  asked = false;
  const scale = window.devicePixelRatio || 1;
  const w = view.clientWidth, h = view.clientHeight;
  if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(h * scale)) {
    canvas.width = Math.round(w * scale);
    canvas.height = Math.round(h * scale);
    canvas.style.width = w + 'px';
    canvas.style.height = h + 'px';
  }
  canvas_width = w;
  spacer.style.height = Math.max(0, axis + lanes.length * row - h) + 'px';
  text_colour = getComputedStyle(document.body).color;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, w, h);
  pen.font = '11px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  const first = Math.max(0, Math.floor((view.scrollTop - axis) / row));
  const last = Math.min(lanes.length, first + Math.ceil(h / row) + 1);
  for (let k = first; k < last; ++k) is_here() ? draw_lane(lanes[k], y_of(k)) : draw_overview(k, y_of(k));
  if (shown.messages && is_here()) draw_messages();
  if (shown.path && is_here()) draw_path();
  if (shown.selected >= 0) {
    for (const c of causes_of(shown.selected).slice(0, 200)) draw_arrow(c, shown.selected, '#27c');
    for (const e of effects_of(shown.selected).slice(0, 200)) draw_arrow(shown.selected, e, '#2a5');
  }
  pen.clearRect(0, 0, names_width, h);
  pen.fillStyle = text_colour;
  for (let k = first; k < last; ++k) pen.fillText(lanes[k].name.slice(0, 40), 4, y_of(k) + row / 2, names_width - 8);
  draw_axis();
}
function redraw() {
  if (!asked) requestAnimationFrame(draw);
  asked = true;
}

function show(from, to) {
  const span = Math.min(Math.max(to - from, 20), facts.length * 1.02 + 20);
  shown.from = Math.max(-.01 * facts.length - 10, Math.min(from, facts.length * 1.01 + 10 - span));
  shown.to = shown.from + span;
  redraw();
}
function zoom(factor, at) { show(at - (at - shown.from) * factor, at + (shown.to - at) * factor); }

function select(i) {
  shown.selected = i;
  const said = document.getElementById('chosen');
  said.textContent = i < 0 ? 'Nothing selected.' : describe(i);
  redraw();
}
const place_text = (word, number) => number ? word + facts.places[number - 1] : '';
function describe(i) {
  const l = facts.labels[label[i]], lines = [`${l.kind} ${l.name}  ${id_of(i)}  ${l.at}`];
  lines.push(`${time_text(length_of[i])} from ${time_text(start[i])} on ${lanes[lane_of[i]].name}` +
    (nested[i] ? `, ${time_text(self_of(i))} without what ran within it` : '') +
    (columns.amount()[i] ? `, ${columns.amount()[i]} bytes` : '') + place_text(' from ', columns.from()[i]) +
    place_text(' at ', columns.place()[i]));
  const names = all => all.slice(0, 8).map(k => facts.labels[label[k]].name).join(' | ') +
    (all.length > 8 ? ` and ${all.length - 8} more` : '');
  const before = causes_of(i), after = effects_of(i);
  lines.push(`after ${before.length}: ${names(before)}`, `before ${after.length}: ${names(after)}`);
  return lines.join('\n');
}
function centre(i) {
  const half = Math.max(length_of[i] * 4, Math.min(shown.to - shown.from, length_of[i] * 40) / 2);
  show(start[i] + length_of[i] / 2 - half, start[i] + length_of[i] / 2 + half);
  view.scrollTop = Math.max(0, lane_of[i] * row - view.clientHeight / 2);
  select(i);
}
function record_at(x, y) {
  const lane = lanes[Math.floor((y - axis + view.scrollTop) / row)];
  const t = t_of(x), slack = (shown.to - shown.from) / width() * 2;
  if (!lane || !is_here() || x < names_width || y < axis) return -1;
  const last = first_where(lane.all.length, k => start[lane.all[k]] > t + slack);
  for (let n = last - 1; n >= 0 && n > last - 2000 && lane.latest_end[n] >= t - slack; --n)
    if (end_of(lane.all[n]) >= t - slack && !is_hidden(lane.all[n])) return lane.all[n];
  return -1;
}

function search(query) {
  shown.query = query;
  // In a family of names, # stands for any number: "tile #,#".
  const wanted = query.toLowerCase(), in_family = wanted.includes('#');
  const has = text => (in_family ? text.replace(/\d+/g, '#') : text).toLowerCase().includes(wanted);
  const is_match = l => has(l.name) || l.name.toLowerCase().includes(wanted) || has(l.at);
  matches = wanted === '' ? null : facts.labels.map(is_match);
  let count = 0;
  if (matches && is_here()) for (let i = 0; i < records; ++i) if (matches[label[i]]) ++count;
  document.getElementById('found').textContent = matches && is_here() ? `${count} found; Enter shows the next` : '';
  redraw();
}
function next_match() {
  if (!matches || !is_here()) return;
  for (let k = 1; k <= records; ++k) {
    const i = (shown.selected + k + records) % records;
    if (matches[label[i]] && !is_hidden(i)) return centre(i);
  }
}

let dragged = null;
canvas.addEventListener('pointerdown', e => {
  dragged = {x: e.offsetX, from: shown.from, to: shown.to, moved: false};
  canvas.setPointerCapture(e.pointerId);
});
canvas.addEventListener('pointermove', e => {
  if (!dragged) return;
  const by = (dragged.x - e.offsetX) / width() * (dragged.to - dragged.from);
  dragged.moved ||= Math.abs(dragged.x - e.offsetX) > 3;
  if (dragged.moved) show(dragged.from + by, dragged.to + by);
});
canvas.addEventListener('pointerup', e => {
  if (dragged && !dragged.moved) select(record_at(e.offsetX, e.offsetY));
  dragged = null;
});
canvas.addEventListener('wheel', e => {
  if (e.shiftKey) return;  // scrolls the lanes
  e.preventDefault();
  zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 300))), t_of(e.offsetX));
}, {passive: false});
canvas.addEventListener('dblclick', () => show(0, facts.length));
view.addEventListener('scroll', redraw);
new ResizeObserver(redraw).observe(view);
document.addEventListener('keydown', e => {
  if (e.target.tagName === 'INPUT') return;
  const span = shown.to - shown.from, middle = (shown.to + shown.from) / 2;
  if (e.key === 'ArrowLeft') show(shown.from - span / 5, shown.to - span / 5);
  else if (e.key === 'ArrowRight') show(shown.from + span / 5, shown.to + span / 5);
  else if (e.key === '+') zoom(.6, middle);
  else if (e.key === '-') zoom(1.6, middle);
  else if (e.key === '0') show(0, facts.length);
});
