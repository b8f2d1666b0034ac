// The page: connects the tasks, the board and the controls.

import { currentSquare } from './board.js';
import './count.js';
import './tours.js';
import './heat_map.js';
import './walk.js';
import './check.js';
import { $ } from './page.js';
import { makeLink, readWords, setControls, showSize, writeLink } from './page_state.js';
import { addNotice, loadBoard, openTask, Task, whenBoardIsLoaded } from './task.js';

/** Milliseconds after which a task starts that arrow keys have opened: they may pass over it. */
const ARROW_KEY_DELAY = 700;

function changeBoard() {
  $('size').value = `${$('rows').valueAsNumber}x${$('columns').valueAsNumber}`;
  loadBoard();
}

function openLink() {
  $('form').reset();
  const { values, faults } = readWords(location.hash.slice(1));
  setControls(values);
  loadBoard(true);
  if (!faults.length) return;
  addNotice(`This page does not understand ${faults.join(', ')} in the link, and uses defaults instead.`);
}

function copyLink() {
  writeLink(0);
  const { link, omissions } = makeLink();
  const omission = omissions.length ? ` It leaves out what is too long: ${omissions.join(', ')}.` : '';
  const copy = navigator.clipboard?.writeText(link) ?? Promise.reject();
  copy.then(
    () => Task.current().setMessage(`The link is copied.${omission}`),
    () => Task.current().setMessage('The browser does not let the page copy. Copy the address of this page.', true),
  );
}

const onFocus = ({ target }) => Task.current().onFocus?.(target.dataset.name);

$('board').onclick = ({ target }) => whenBoardIsLoaded(() => Task.current().onPress?.(target.dataset.name));
$('board').onpointerover = onFocus;
$('board').addEventListener('focusin', onFocus);
$('skip').onclick = () => $('panels').focus();
$('copy-link').onclick = copyLink;
$('restore').onclick = () => {
  $('remove').value = '';
  changeBoard();
  currentSquare().focus();
};
$('tabs').onchange = ({ target }) => openTask(target.value, target.matches(':focus-visible') ? ARROW_KEY_DELAY : 0);
$('form').onsubmit = (event) => event.preventDefault();
$('form').onchange = ({ target }) => {
  if (!target.checkValidity()) {
    showSize();
    $('tour').value = Task.all.tours.result?.number ?? '';
    const rule = target.id === 'tour' ? 'Write a whole number.' : 'A board has 1 to 10 rows and 1 to 10 columns here.';
    Task.current().setMessage(rule, true);
  } else if (target.closest('.panel')) {
    writeLink();
    const task = Task.current();
    whenBoardIsLoaded(() => task.onChange(target.id));
  } else {
    changeBoard();
  }
};
document.onkeydown = ({ key }) => {
  if (key === 'Escape') Task.current().cancel();
};
onhashchange = openLink;
openLink();
navigator.serviceWorker?.register('service_worker.js').catch(() => {});
