// The state of the page: one table of fields, each a text, which links and controls hold too.

import { position } from './board.js';
import { KINDS, PIECES, SYMMETRIES, TASKS, WRAPS } from './choices.js';
import { $ } from './page.js';

/** Returns a check that a text is a list of squares of a board of some size, or `-`, an empty list. */
const isListOfSquares = (separator) => (text, size) =>
  ['', '-'].includes(text) || text.split(separator).every((name) => isOnBoard(name, size));
const select = (choices, more) =>
  ({ choices, initial: Object.keys(choices)[0], allows: (value) => Object.hasOwn(choices, value), ...more });

/**
 * The fields of the state. The id of a field is that of its control. Its name in links is the same, except with `link`.
 * A field with a `task` is only in links to this task. `fault` is shown if a control has a bad value.
 */
export const FIELDS = {
  task: select(TASKS),
  size: { link: 'board', initial: '6x6', allows: (value) => /^(10|[1-9])x(10|[1-9])$/.test(value),
    fault: 'A board has 1 to 10 rows and 1 to 10 columns here.' },
  piece: select(PIECES),
  wrap: select(WRAPS),
  remove: { initial: '', allows: isListOfSquares(',') },
  'count-kind': select({ all: 'All kinds', ...KINDS }, { task: 'count', link: 'kind' }),
  distinct: select({ yes: 'Yes', no: 'No' }, { task: 'count' }),
  'tours-kind': select({ closed: KINDS.closed, paths: KINDS.paths }, { task: 'tours', link: 'kind' }),
  tour: { task: 'tours', initial: '', allows: (value) => /^\d+$/.test(value), fault: 'Write a whole number.' },
  symmetry: select(SYMMETRIES, { task: 'tours' }),
  'heat-kind': select(KINDS, { task: 'heat', link: 'kind' }),
  'walk-kind': select({ paths: 'Any tour: visit every square', closed: 'A closed tour: back to the start' },
    { task: 'walk', link: 'kind' }),
  walk: { task: 'walk', initial: '', allows: isListOfSquares('-') },
  text: { task: 'check', initial: '', allows: () => true },
};

export const state = {};

/** Returns true if a board of this size has a square with this name. */
export function isOnBoard(name, size = state.size) {
  const [rows, columns] = size.split('x').map(Number);
  const [column, row] = position(name);
  return /^[a-j]([1-9]|10)$/.test(name) && column < columns && row < rows;
}

/** Returns the words of the engine for the board. */
export const boardText = () =>
  `board=${state.size} wrap=${state.wrap} piece=${state.piece} remove=${state.remove || '-'}`;

/** Returns the squares of a field such as `walk`. */
export const squaresOf = (text, separator) => text.split(separator).filter(Boolean);

/** Reads words such as those of a link. Returns the values of fields, and the words that no field understands. */
export function readFields(words) {
  const rest = new URLSearchParams(words);
  const values = { task: FIELDS.task.initial, size: FIELDS.size.initial };
  const faults = [];
  for (const [id, { task, link: name = id, allows }] of Object.entries(FIELDS)) {
    if ((task && task !== values.task) || !rest.has(name)) continue;
    if (allows(rest.get(name), values.size)) values[id] = rest.get(name);
    else faults.push(`${name}=${rest.get(name)}`);
    rest.delete(name);
  }
  for (const [name, value] of rest) faults.push(`${name}=${value}`);
  return { values, faults };
}

/** Sets all fields to those of the link, or to their defaults. Returns the words that no field understands. */
export function readLink() {
  const { values, faults } = readFields(location.hash.slice(1));
  for (const [id, { initial }] of Object.entries(FIELDS)) state[id] = values[id] ?? initial;
  return faults;
}

let linkTimer = null;

/** Writes the state to the address, not at once, because browsers limit how often a page may do so. */
export function writeLink(delay = 300) {
  clearTimeout(linkTimer);
  if (delay) return (linkTimer = setTimeout(writeLink, delay, 0));
  const link = new URLSearchParams();
  for (const [id, { task, link: name = id, initial }] of Object.entries(FIELDS)) {
    const isHeld = !task || task === state.task;
    if (isHeld && state[id] !== initial) link.set(name, state[id]);
  }
  try {
    history.replaceState(null, '', `#${link}`);
  } catch {
    writeLink(3000);
  }
}

/** Shows the fields in their controls. */
export function fillControls() {
  for (const id of Object.keys(FIELDS)) {
    const control = $(id);
    if (control?.type === 'checkbox') control.checked = state[id] === 'yes';
    else if (control) control.value = state[id];
  }
  [$('rows').value, $('columns').value] = state.size.split('x');
  $('restore').hidden = state.remove === '';
}

/** Fills the lists of choices, and calls `onChange` with the id and the value of a control that the user changes. */
export function connectControls(onChange) {
  for (const [id, { choices }] of Object.entries(FIELDS)) {
    const control = $(id);
    if (!control) continue;
    if (control.options) control.append(...Object.entries(choices).map(([value, text]) => new Option(text, value)));
    control.onchange = () =>
      onChange(id, control.type === 'checkbox' ? (control.checked ? 'yes' : 'no') : control.value);
  }
  for (const id of ['rows', 'columns']) {
    $(id).onchange = () => onChange('size', `${Number($('rows').value)}x${Number($('columns').value)}`);
  }
}
