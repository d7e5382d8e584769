// tables.js - the findings as tables. Names are set as text, never as markup.
'use strict';
function element(name, text = '', kind = '') {
  const made = document.createElement(name);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
}
// columns: [heading, row => text or element, 'number' or nothing]
function table(id, rows, columns) {
  const place = document.getElementById(id);
  if (!rows.length) return place.append(element('p', 'None were recorded.'));
  const made = element('table'), head = made.createTHead().insertRow(), body = made.createTBody();
  for (const [heading, , kind] of columns) head.append(element('th', heading, kind));
  for (const one of rows) {
    const line = body.insertRow();
    for (const [, value, kind] of columns) {
      const said = value(one), cell = element('td', said instanceof Node ? '' : said, kind);
      if (said instanceof Node) cell.append(said);
      line.append(cell);
    }
  }
  place.append(made);
  if (rows.length > 20) fold(place, body, 12);
}
// Long tables show their first rows, and the others when asked to.
function fold(place, body, shown_rows) {
  const rest = [...body.rows].slice(shown_rows), more = element('button', `${rest.length} more`);
  for (const line of rest) line.hidden = true;
  more.addEventListener('click', () => {
    for (const line of rest) line.hidden = false;
    more.remove();
  });
  place.append(more);
}
function meter(part, whole) {
  const made = element('div', '', 'meter');
  made.style.setProperty('--part', share_text(part, whole).replace(' ', ''));
  return made;
}
function link(name) {
  const made = element('a', name);
  made.href = '#find=' + encodeURIComponent(name);
  return made;
}
const signed_share = part => (part < 0 ? '' : '+') + share_text(part, 1);
const whole = facts.length, idle_whole = whole * facts.idle.workers, path = facts.critical_path;
const piece_text = {work: s => s.kind, delay: () => 'delay before', unknown: () => 'unknown, before'};

document.getElementById('summary').textContent =
  `${records} records in ${time_text(whole)} on ${facts.idle.workers} worker${facts.idle.workers === 1 ? '' : 's'}, ${facts.edges} arrows. ` +
  `Work in all: ${time_text(path.work)}; longest chain of dependences: ${time_text(path.longest_chain)}.`;
for (const note of facts.notes) document.getElementById('notes').append(element('p', note, 'note'));

table('changes', facts.changes.tried.filter(s => s.gain >= .001).slice(0, 3),
  [['change', s => s.change], ['predicted', s => time_text(s.predicted), 'number'],
    ['gain', s => share_text(s.gain, 1), 'number']]);
document.getElementById('changes').append(element('p',
  `Replayed unchanged, the recorded graph of ${facts.changes.operations} operations takes ` +
  `${time_text(facts.changes.replayed)}; ` +
  `recorded were ${time_text(facts.changes.recorded)}: an error of ${signed_share(facts.changes.error)}. ` +
  `Predictions err at least as much.`));
const delay_text = facts.ranks ? 'messages on their way, wait for a worker' : 'wait for a worker';
const path_kind = {work: s => s.kind, delay: () => delay_text, unknown: () => 'before the first record'};
table('path-kinds', path.by_kind, [['share', s => share_text(s.time, whole), 'number'],
    ['time', s => time_text(s.time), 'number'],
  ['', s => meter(s.time, whole)], ['what', s => path_kind[s.piece](s)], ['count', s => s.count, 'number']]);
table('path', path.by_name, [['share', s => share_text(s.time, whole), 'number'],
    ['time', s => time_text(s.time), 'number'],
  ['', s => meter(s.time, whole)], ['what', s => piece_text[s.piece](s)], ['name', s => link(s.name)],
    ['count', s => s.count, 'number']]);
if (facts.ranks) {
  for (const id of ['ranks-part', 'messages-part']) document.getElementById(id).hidden = false;
  const of_path = facts.ranks.times.filter(t => t.on_path).sort((a, b) => b.on_path - a.on_path);
  const waits = ['message', 'receive', 'collective', 'other'].map(what =>
    [`waits: ${what}`, t => share_text(t[what + '_waits'], whole), 'number']);
  table('ranks', facts.ranks.times, [['rank', t => t.rank],
    ['computing', t => share_text(t.computing, whole), 'number'], ['', t => meter(t.computing, whole)],
    ['windows and files', t => share_text(t.accesses, whole), 'number'], ...waits]);
  document.getElementById('ranks').append(element('p',
    `${facts.ranks.messages} messages with ${facts.ranks.bytes} bytes.`));
  table('late', facts.ranks.late, [['share', t => share_text(t.time, whole), 'number'],
    ['time', t => time_text(t.time), 'number'], ['', t => meter(t.time, whole)], ['cause', t => t.what],
    ['late', t => t.late], ['waiting', t => t.waiting], ['in', t => link(t.call)], ['at', t => t.at],
    ['count', t => t.count, 'number']]);
  table('rank-path', of_path, [['share', t => share_text(t.on_path, whole), 'number'],
    ['time', t => time_text(t.on_path), 'number'], ['', t => meter(t.on_path, whole)], ['rank', t => t.rank]]);
  table('path-calls', facts.ranks.path.calls, [['share', c => share_text(c.time, whole), 'number'],
    ['time', c => time_text(c.time), 'number'], ['', c => meter(c.time, whole)], ['', c => c.what],
    ['call', c => link(c.call)], ['at', c => c.at], ['count', c => c.count, 'number']]);
}
for (const [id, rows] of [['workers', facts.workers], ['places', facts.places_used]])
  table(id, rows.filter(u => u.count || u.asleep), [['name', u => u.name],
    ['busy', u => share_text(u.busy, whole), 'number'], ['', u => meter(u.busy, whole)],
    ['time', u => time_text(u.busy), 'number'], ['asleep', u => time_text(u.asleep), 'number'],
      ['records', u => u.count, 'number']]);
for (const [id, rows] of [['names', facts.names], ['kinds', facts.kinds]])
  table(id, rows, [['time', t => time_text(t.total), 'number'], ['count', t => t.count, 'number'],
    ['kind', t => t.kind], ['name', t => link(t.name)],
    ['at', t => t.at], ['mean', t => time_text(t.total / t.count), 'number'],
      ['shortest', t => time_text(t.shortest), 'number'],
    ['longest', t => time_text(t.longest), 'number']]);
table('modules', facts.modules, [['time', m => time_text(m.time), 'number'], ['count', m => m.count, 'number'],
    ['module', m => m.module],
  ['kind', m => m.kind], ['bytes', m => m.bytes || '', 'number']]);
table('copies', facts.copies, [['time', c => time_text(c.time), 'number'], ['count', c => c.count, 'number'],
    ['bytes', c => c.bytes, 'number'],
  ['GB/s', c => c.time ? (c.bytes / c.time).toFixed(2) : '', 'number'], ['what', c => link(c.name)],
    ['from', c => c.from], ['to', c => c.to], ['at', c => c.at]]);
table('idle', facts.idle.by_cause, [['share', t => share_text(t.time, idle_whole), 'number'],
    ['time', t => time_text(t.time), 'number'],
  ['', t => meter(t.time, idle_whole)], ['cause', t => t.cause], ['kind', t => t.on ? t.kind : ''],
    ['name', t => t.on ? link(t.on) : ''],
  ['at', t => t.on ? t.at : ''], ['gaps', t => t.count, 'number']]);
const most = Math.max(1, ...facts.task_lengths.bins.map(b => b.count));
const overhead_of = b => b.count * facts.idle.overhead_per_task;
table('lengths', facts.task_lengths.bins, [['from', b => time_text(b.from), 'number'],
    ['below', b => time_text(b.below), 'number'],
  ['count', b => b.count, 'number'], ['', b => meter(b.count, most)], ['time', b => time_text(b.time), 'number'],
  ['overhead', b => share_text(overhead_of(b), b.time + overhead_of(b)), 'number']]);
document.getElementById('lengths').append(element('p',
  `The runtime took ${time_text(facts.idle.overhead_per_task)} between two tasks (median); ` +
  `${facts.task_lengths.shorter_than_ten_overheads} of ` +
  `${facts.task_lengths.count} tasks are shorter than ten times that.`));
if (facts.comparison) {
  document.getElementById('comparison-part').hidden = false;
  const c = facts.comparison, signed = d => (d > 0 ? '+' : d < 0 ? '-' : '') + time_text(Math.abs(d));
  document.getElementById('comparison').append(element('p',
    `Before (${c.before_file}): ${time_text(c.before)}. After: ${time_text(c.after)}.`));
  table('comparison', c.rows, [['change', r => signed(r.after - r.before), 'number'],
    ['before', r => time_text(r.before), 'number'],
    ['after', r => time_text(r.after), 'number'], ['count', r => `${r.count_before} to ${r.count_after}`, 'number'],
      ['what', r => r.part], ['name', r => r.name]]);
}

const kinds = document.getElementById('filter');
for (const kind of new Set(facts.labels.map(l => l.kind))) {
  const box = element('input'), around = element('label');
  box.type = 'checkbox';
  box.checked = true;
  box.addEventListener('change', () => { box.checked ? shown.hidden.delete(kind) : shown.hidden.add(kind); redraw(); });
  around.append(box, ' ' + kind);
  kinds.append(around);
}
const query = document.getElementById('query');
query.addEventListener('input', () => search(query.value));
query.addEventListener('keydown', e => { if (e.key === 'Enter') next_match(); });
document.getElementById('path-shown').addEventListener('change', e => { shown.path = e.target.checked; redraw(); });
document.getElementById('messages-shown').addEventListener('change', e => {
  shown.messages = e.target.checked;
  redraw();
});

// What stands behind # in the address: find=NAME, task=ID, from=NS, to=NS.
function follow_address() {
  const asked_for = new URLSearchParams(location.hash.slice(1));
  if (asked_for.has('find')) {
    query.value = asked_for.get('find');
    search(query.value);
    next_match();
  }
  if (asked_for.has('task')) {
    let i = 0;
    while (i < records && id_of(i) !== asked_for.get('task')) ++i;
    if (i < records) centre(i);
  }
  if (asked_for.has('from') && asked_for.has('to')) show(+asked_for.get('from'), +asked_for.get('to'));
}
// The overview first; the records once it has been painted, or soon where nobody looks at the page.
show(0, facts.length);
select(-1);
draw();
const painted = new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
painted.then(() => { document.body.dataset.drawn = Math.round(performance.now()); });
const arrived = new Promise(done => document.addEventListener('DOMContentLoaded', done));
Promise.all([arrived, Promise.race([painted, new Promise(done => setTimeout(done, 300))])]).then(unpack).then(() => {
  load_records();
  search(query.value);
  follow_address();
  window.addEventListener('hashchange', follow_address);
  draw();
  document.body.dataset.ready = records;
  document.body.dataset.milliseconds = Math.round(performance.now());
}).catch(fault => {
  const said = `The records could not be read: ${fault}. The tables and the overview are complete.`;
  document.getElementById('notes').append(element('p', said, 'note'));
});
