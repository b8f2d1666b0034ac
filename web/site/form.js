// The form of the page: its named controls hold the state of the page, as links do.

import { isOnBoard, resizeBoard } from './board.js';
import { $ } from './page.js';

const controls = [...$('form').elements].filter(({ name }) => name);
const valueOf = ({ type, checked, value }) => (type === 'checkbox' ? (checked ? 'yes' : 'no') : value);
const initialValues = new Map(controls.map((control) => [control, valueOf(control)]));

/** Returns true if links hold a control: it belongs to the board or to the open task. */
const isHeld = (control) => !control.closest(`.panel:not(#panel-${$('task').value})`);

function allows({ id, options, pattern }, value) {
  if (options) return [...options].some((option) => option.value === value);
  if (id === 'remove') return value === '-' || value.split(',').every(isOnBoard);
  return new RegExp(`^(?:${pattern || '[^]*'})$`).test(value);
}

/** Gives controls their values by name. Returns the words that no control allows. */
export function setControls(words) {
  const rest = new URLSearchParams(words);
  const faults = [];
  for (const control of controls) {
    const value = rest.get(control.name);
    if (value === null || !isHeld(control)) continue;
    if (!allows(control, value)) faults.push(`${control.name}=${value}`);
    else if (control.type === 'checkbox') control.checked = value === 'yes';
    else control.value = value;
    rest.delete(control.name);
    // The squares of later fields belong to this board.
    if (control.id === 'size') showSize();
  }
  return [...faults, ...[...rest].map((word) => word.join('='))];
}

let linkTimer = null;
/** Writes the controls to the address, not at once, because browsers limit how often a page may do so. */
export function writeLink(delay = 300) {
  clearTimeout(linkTimer);
  if (delay) return (linkTimer = setTimeout(writeLink, delay, 0));
  const changed = controls.filter((one) => isHeld(one) && valueOf(one) !== initialValues.get(one));
  try {
    history.replaceState(null, '', `#${new URLSearchParams(changed.map((one) => [one.name, valueOf(one)]))}`);
  } catch {
    writeLink(3000);
  }
}

/** Returns the board in the words of the engine. */
export const readBoard = () =>
  Object.fromEntries(['size', 'wrap', 'piece', 'remove'].map((id) => [$(id).name, $(id).value]));
export const boardText = () => Object.entries(readBoard()).map((word) => word.join('=')).join(' ');

export function showSize() {
  const [rows, columns] = $('size').value.split('x').map(Number);
  [$('rows').value, $('columns').value] = [rows, columns];
  resizeBoard(rows, columns);
}
