// The page: connects the tasks, the board and the controls.

import { currentSquare, isOnBoard } from './board.js';
import './numbers.js';
import './tours.js';
import './own_tours.js';
import { setControls, showSize, writeLink } from './form.js';
import { $ } from './page.js';
import { loadBoard, loaded, openTask, Task } from './task.js';

function changeBoard() {
  $('size').value = `${$('rows').valueAsNumber}x${$('columns').valueAsNumber}`;
  loadBoard();
}

function toggleSquare(name) {
  const removed = $('remove').value.split(',').filter(isOnBoard);
  $('remove').value = removed.includes(name) ? removed.filter((one) => one !== name) : [...removed, name];
  changeBoard();
}

function openLink() {
  $('form').reset();
  showSize();
  const faults = setControls(location.hash.slice(1)).join(', ');
  loadBoard(faults && `This page does not understand ${faults} in the link, and uses its default.`);
}

function copyLink() {
  writeLink(0);
  const copying = navigator.clipboard?.writeText(location.href) ?? Promise.reject();
  const fault = 'The browser does not let the page copy. Copy the address of this page.';
  copying.then(() => Task.current().say('The link is copied.'), () => Task.current().say(fault, true));
}

const forSquare = (part) => ({ target }) => target.dataset.name && Task.current()[part]?.(target.dataset.name);

Task.all.count.press = toggleSquare;
$('board').onclick = forSquare('press');
$('board').onpointerover = forSquare('focus');
$('board').addEventListener('focusin', forSquare('focus'));
$('skip').onclick = () => $('panels').focus();
$('copy-link').onclick = copyLink;
$('restore').onclick = () => {
  $('remove').value = '';
  changeBoard();
  currentSquare().focus();
};
$('tabs').onchange = ({ target }) => openTask(target.value);
$('form').onsubmit = (event) => event.preventDefault();
$('form').onchange = ({ target }) => {
  if (!target.checkValidity()) {
    showSize();
    $('tour').value = Task.all.tours.result?.number ?? '';
    const rule = target.id === 'tour' ? 'Write a whole number.' : 'A board has 1 to 10 rows and 1 to 10 columns here.';
    return Task.current().say(rule, true);
  }
  if (!target.closest('.panel')) return changeBoard();
  writeLink();
  loaded.then(() => Task.current().change(target.id));
};
document.onkeydown = ({ key }) => { if (key === 'Escape') Task.current().cancel(); };
onhashchange = openLink;
openLink();
