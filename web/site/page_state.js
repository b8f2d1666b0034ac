// The state of the page: the values of the named controls of the form, which links hold.

import { resizeBoard, squareNames } from './board.js';
import { $ } from './page.js';

/** Most characters of a value in a link: more than any tour of the page needs. */
const MAX_VALUE_LENGTH = 4000;

const controls = [...$('form').elements].filter(({ name }) => name);
const valueOf = ({ type, checked, value }) => (type === 'checkbox' ? (checked ? 'yes' : 'no') : value);
const initialValues = new Map(controls.map((control) => [control, valueOf(control)]));

/** Returns true if links hold a control: it belongs to the board or to the open task. */
const isInLinks = (control, task = $('task').value) => !control.closest(`.panel:not(#panel-${task})`);

const readSize = (size) => size.split('x').map(Number);

/** Returns true if a control allows a value on a board of a size. */
function allows({ id, options, pattern }, value, size) {
  if (options) return [...options].some((option) => option.value === value);
  if (id === 'remove') {
    const names = squareNames(...readSize(size));
    return value === '-' || value.split(',').every((name) => names.includes(name));
  }
  return new RegExp(`^(?:${pattern || '[^]*'})$`).test(value);
}

/** Reads words such as those of a link: returns the values of all controls by id, and the words that none allows. */
export function readWords(words) {
  const query = new URLSearchParams(words);
  const values = Object.fromEntries(controls.map((control) => [control.id, valueOf(control)]));
  const faults = [];
  for (const control of controls) {
    const value = query.get(control.name);
    if (value === null || !isInLinks(control, values.task)) continue;
    if (allows(control, value, values.size)) values[control.id] = value;
    else faults.push([control.name, value]);
    query.delete(control.name);
  }
  return { values, faults: [...faults, ...query].map((word) => word.join('=')) };
}

export function setControls(values) {
  for (const control of controls) {
    if (control.type === 'checkbox') control.checked = values[control.id] === 'yes';
    else control.value = values[control.id];
  }
}

/** Returns the link to this state, and the names of the controls whose values are too long for it. */
export function makeLink() {
  const changed = controls.filter((control) => isInLinks(control) && valueOf(control) !== initialValues.get(control));
  const isLong = (control) => valueOf(control).length > MAX_VALUE_LENGTH;
  const words = changed.filter((control) => !isLong(control)).map((control) => [control.name, valueOf(control)]);
  const link = new URL(`#${new URLSearchParams(words)}`, location.href).href;
  return { link, omissions: changed.filter(isLong).map(({ name }) => name) };
}

let linkTimer = null;
/** Writes the link to the address, not at once, because browsers limit how often a page may do so. */
export function writeLink(delay = 300) {
  clearTimeout(linkTimer);
  if (delay) {
    linkTimer = setTimeout(writeLink, delay, 0);
    return;
  }
  try {
    history.replaceState(null, '', makeLink().link);
  } catch {
    writeLink(3000);
  }
}

/** Returns the board in the words of the engine. */
export const boardText = () =>
  ['size', 'wrap', 'piece', 'remove'].map((id) => `${$(id).name}=${$(id).value}`).join(' ');

/** Describes the board, such as `6x6 with c3 removed`. */
export function describeBoard() {
  const changed = ['piece', 'wrap'].map($).filter(({ selectedIndex }) => selectedIndex);
  const words = [$('size').value, ...changed.map(({ selectedOptions: [{ text }] }) => text.toLowerCase())].join(', ');
  return $('remove').value === '-' ? words : `${words} with ${$('remove').value.replaceAll(',', ', ')} removed`;
}

export function showSize() {
  const [rows, columns] = readSize($('size').value);
  $('rows').value = rows;
  $('columns').value = columns;
  resizeBoard(rows, columns);
}
