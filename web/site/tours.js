// The task Tours: tours by number, their animation, and a gallery.

import { thumbnail, tourLabels, tourLines, view } from './board.js';
import { describeTour } from './choices.js';
import { $, group, make, tours } from './page.js';
import { state, writeLink } from './state.js';
import { Task } from './task.js';

const GALLERY_LENGTH = 12;
/** Most steps of the slider. */
const SLIDER_STEPS = 1000000n;

/** The number of tours. */
let total = 0n;
let animation = null;

export const task = new Task('tours', {
  buttons: {
    play, random: showRandom, previous: () => showNumber(BigInt(state.tour) - 1n),
    following: () => showNumber(BigInt(state.tour) + 1n), 'gallery-open': openGallery, 'gallery-more': extendGallery,
  },
  formats: ['svg', 'png', 'csv', 'animation'], start, change, clear, picture,
});

$('slider').oninput = () => total > 1n && showNumber((BigInt($('slider').value) * (total - 1n)) / sliderEnd());
$('shown').oninput = () => {
  stopAnimation();
  task.draw();
};

const sliderEnd = () => (total - 1n > SLIDER_STEPS ? SLIDER_STEPS : total - 1n);
/** Returns the first position of the slider that is not before a number, so that the position stays that of a key. */
const sliderPosition = (number) => (total > 1n ? (number * sliderEnd() + total - 2n) / (total - 1n) : 0n);

function change(id) {
  if (id === 'tour') return showNumber(BigInt(state.tour));
  if (id === 'symmetry') {
    task.stop();
    return clearGallery();
  }
  state.tour = '';
  task.reset();
  task.open();
}

function clear() {
  clearGallery();
  stopAnimation();
  total = 0n;
  $('tour-controls').disabled = true;
  $('tour').value = state.tour;
}

async function start() {
  const answer = await task.run({ do: 'index', kind: task.kind }, 'Numbering all tours');
  if (!answer) return;
  total = BigInt(answer.total);
  $('tour-controls').disabled = total === 0n;
  if (total === 0n) return task.say(`This board has no ${task.kind === 'closed' ? 'closed tours' : 'tours'}.`);
  $('slider').max = Number(sliderEnd());
  showNumber(BigInt(state.tour || 0));
}

/** Shows the tour with a number, or the first or last one. */
async function showNumber(number) {
  const shown = number < 0n ? 0n : number < total ? number : total - 1n;
  state.tour = String(shown);
  const answer = await task.run({ do: 'tour', kind: task.kind, number: state.tour }, 'Tour');
  if (answer) showTour(answer);
  if (shown !== number) task.say(`The tours have the numbers 0 to ${group(total - 1n)}.`, true);
}

function showTour(tour) {
  stopAnimation();
  task.result = tour;
  state.tour = tour.number;
  $('tour').value = tour.number;
  $('slider').value = Number(sliderPosition(BigInt(tour.number)));
  const moves = tour.squares.length - (tour.kind === 'closed' ? 0 : 1);
  $('shown').max = moves;
  $('shown').value = moves;
  const which = `Tour ${group(tour.number)} of ${group(total)} (numbers start at 0)`;
  $('tour-text').textContent = `${which} is ${describeTour(tour)}.`;
  $('slider').setAttribute('aria-valuetext', which);
  writeLink();
  task.draw();
}

/** Shows a random tour: random numbers with enough bits are drawn until one is below the total. */
function showRandom() {
  const bits = total.toString(2).length;
  const words = crypto.getRandomValues(new Uint32Array(Math.ceil(bits / 32)));
  const number = BigInt.asUintN(bits, words.reduce((sum, word) => (sum << 32n) | BigInt(word), 0n));
  if (number < total) showNumber(number);
  else showRandom();
}

function picture() {
  const tour = task.result;
  if (!tour) return null;
  const { squares, kind } = tour;
  const shown = Number($('shown').value);
  const lines = tourLines(view.board, squares, kind === 'closed', shown);
  return { lines, labels: tourLabels(squares), knight: squares[shown % squares.length] };
}

function stopAnimation() {
  clearInterval(animation);
  animation = null;
  $('play').textContent = 'Play';
}

function play() {
  if (animation) return stopAnimation();
  const [slider, moves] = [$('shown'), Number($('shown').max)];
  if (Number(slider.value) >= moves) slider.value = 0;
  $('play').textContent = 'Pause';
  $('board').scrollIntoView({ block: 'nearest' });
  task.draw();
  animation = setInterval(() => {
    slider.value = Number(slider.value) + 1;
    task.draw();
    if (Number(slider.value) >= moves) stopAnimation();
  }, Math.max(120, Math.min(400, 15000 / moves)));
}

function clearGallery() {
  $('gallery').replaceChildren();
  $('gallery-more').hidden = true;
}

function openGallery() {
  clearGallery();
  extendGallery();
}

/** Adds the next tours to the gallery. */
async function extendGallery() {
  const first = $('gallery').children.length;
  const request = { do: 'gallery', kind: task.kind, symmetry: state.symmetry, first, len: GALLERY_LENGTH };
  const answer = await task.run(request, 'Gallery');
  if (!answer) return;
  for (const tour of answer.tours) {
    const label = `Tour ${group(tour.number)}`;
    const button = make('button', { type: 'button' }, thumbnail(view.board, tour.squares, tour.kind === 'closed'), label);
    button.onclick = () => {
      task.stop();
      showTour(tour);
      $('board').scrollIntoView({ block: 'nearest' });
      task.say(`${label} is shown on the board.`);
    };
    $('gallery').append(make('li', {}, button));
  }
  $('gallery-more').hidden = !answer.more;
  const number = first + answer.tours.length;
  const text = `${tours(number)} in the gallery. Turned and mirrored copies are left out.`;
  task.say(number ? text : 'There is no such tour.');
}
