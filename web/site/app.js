// The page: connects the tasks, the board and the controls.

import { view } from './board.js';
import './count.js';
import './tours.js';
import './heat.js';
import './walk.js';
import './check.js';
import { TASKS } from './choices.js';
import { $ } from './page.js';
import { connectControls, FIELDS, fillControls, readLink, squaresOf, state, writeLink } from './state.js';
import { loadBoard, openTask, Task } from './task.js';

const openedTask = () => Task.all[state.task];

/** Changes a field to the value of its control. */
function change(id, text) {
  const { task, allows, fault } = FIELDS[id];
  const value = id === 'tour' ? text.replace(/[\s,\u202f]/g, '') : text;
  if (!allows(value)) {
    fillControls();
    return openedTask().say(fault, true);
  }
  state[id] = value;
  writeLink();
  if (task) return Task.all[task].change(id);
  Object.assign(state, { tour: '', walk: '' });
  loadBoard();
}

function togglePressed(name) {
  const removed = squaresOf(state.remove, ',');
  const others = removed.filter((one) => one !== name);
  change('remove', (others.length < removed.length ? others : [...removed, name]).join(','));
}

function openLink() {
  const faults = readLink();
  const notice = `This page does not understand ${faults.join(', ')} in the link, and uses its default.`;
  loadBoard(faults.length ? notice : '');
}

async function copyLink() {
  writeLink(0);
  try {
    await navigator.clipboard.writeText(location.href);
    openedTask().say('The link is copied.');
  } catch {
    openedTask().say('The browser does not let the page copy. Copy the address of this page.', true);
  }
}

/** Opens the next or the previous task by an arrow key. */
function moveTab({ key }) {
  const names = Object.keys(TASKS);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (!step) return;
  openTask(names[(names.indexOf(state.task) + step + names.length) % names.length]);
  openedTask().tab.focus();
}

const clicks = {
  skip: (event) => { event.preventDefault(); $('panels').focus(); },
  restore: () => { change('remove', ''); view.focus(); },
  cancel: () => openedTask().cancel(),
  retry: () => openedTask().start(),
  'copy-link': copyLink,
};
for (const [id, work] of Object.entries(clicks)) $(id).onclick = work;
connectControls(change);
$('tabs').onkeydown = moveTab;
$('board-form').onsubmit = (event) => event.preventDefault();
view.onPress = (name) => (state.task === 'count' ? togglePressed(name) : openedTask().press?.(name));
view.onFocus = (name) => openedTask().focus?.(name);
document.onkeydown = ({ key }) => { if (key === 'Escape') openedTask().cancel(); };
onhashchange = openLink;
openLink();
