// The page: connects the tasks, the board and the controls.

import { currentSquare, isOnBoard } from './board.js';
import './count.js';
import './tours.js';
import './heat.js';
import './walk.js';
import './check.js';
import { readLink, showSize, writeLink } from './form.js';
import { $ } from './page.js';
import { loadBoard, loaded, openTask, Task } from './task.js';

function changeBoard() {
  if ($('board-fields').querySelector(':invalid')) {
    showSize();
    return Task.current.say('A board has 1 to 10 rows and 1 to 10 columns here.', true);
  }
  $('size').value = `${$('rows').valueAsNumber}x${$('columns').valueAsNumber}`;
  $('tour').value = $('walk').value = '';
  loadBoard();
}

function toggleSquare(name) {
  const removed = $('remove').value.split(',').filter(isOnBoard);
  const others = removed.filter((one) => one !== name);
  $('remove').value = others.length < removed.length ? others : [...removed, name];
  changeBoard();
}

function restoreSquares() {
  $('remove').value = '-';
  changeBoard();
  currentSquare().focus();
}

function openLink() {
  const faults = readLink().join(', ');
  loadBoard(faults && `This page does not understand ${faults} in the link, and uses its default.`);
}

async function copyLink() {
  writeLink(0);
  try {
    await navigator.clipboard.writeText(location.href);
    Task.current.say('The link is copied.');
  } catch {
    Task.current.say('The browser does not let the page copy. Copy the address of this page.', true);
  }
}

/** Returns a listener for squares of the board. */
const forSquare = (part) => ({ target }) => target.dataset.name && Task.current[part]?.(target.dataset.name);

Task.all.count.press = toggleSquare;
$('board').onclick = forSquare('press');
$('board').onpointerover = forSquare('focus');
$('board').addEventListener('focusin', forSquare('focus'));
$('skip').onclick = () => $('panels').focus();
$('copy-link').onclick = copyLink;
$('restore').onclick = restoreSquares;
$('tabs').onchange = ({ target }) => openTask(target.value);
$('form').onsubmit = (event) => event.preventDefault();
$('form').onchange = ({ target }) => {
  if (!target.closest('.panel')) return changeBoard();
  writeLink();
  loaded.then(() => Task.current.change(target.id));
};
document.onkeydown = ({ key }) => { if (key === 'Escape') Task.current.cancel(); };
onhashchange = openLink;
openLink();
