// The task Tours: tours by number, their animation, and a gallery.

import { drawThumbnail, drawTour, labelTour } from './board.js';
import { writeLink } from './form.js';
import { $, describeTour, group, make, tours } from './page.js';
import { Task } from './task.js';

const GALLERY_LENGTH = 12;
/** Most steps of the slider. */
const SLIDER_STEPS = 1000000n;

/** The number of tours. */
let total = 0n;
let animation = null;

const task = new Task('tours', {
  buttons: {
    play, random: showRandom, previous: () => showNumber(BigInt($('tour').value) - 1n),
    following: () => showNumber(BigInt($('tour').value) + 1n), 'gallery-open': openGallery, 'gallery-more': extendGallery,
  },
  start: () => showNumber(BigInt($('tour').value)), change, clear,
});

$('slider').oninput = () => showNumber((BigInt($('slider').value) * (total - 1n)) / sliderEnd());
$('shown').oninput = () => {
  stopAnimation();
  drawMoves();
};

const sliderEnd = () => (total - 1n > SLIDER_STEPS ? SLIDER_STEPS : total - 1n);
/** Returns the first position of the slider that is not before a number, so that the position stays that of a key. */
const sliderPosition = (number) => (total > 1n ? (number * sliderEnd() + total - 2n) / (total - 1n) : 0n);

function change(id) {
  if (id === 'tour') return changeNumber();
  if (id === 'symmetry') return clearGallery();
  if (id !== 'tours-kind') return;
  $('tour').value = '';
  task.reset();
  task.open();
}

function clear() {
  clearGallery();
  stopAnimation();
  $('tour-controls').disabled = true;
}

function changeNumber() {
  const number = $('tour').value.replace(/[\s,]/g, '');
  if (/^\d+$/.test(number)) return showNumber(BigInt(number));
  $('tour').value = task.result.number;
  task.say('Write a whole number.', true);
}

/** Shows the tour with a number, or the first or last one. */
async function showNumber(number) {
  $('tour').value = number;
  const tour = await task.run({ do: 'tour', kind: task.kind, number: String(number) }, 'Numbering all tours');
  if (!tour) return;
  total = BigInt(tour.total);
  $('tour-controls').disabled = total === 0n;
  if (total === 0n) return task.say(`This board has no ${task.kind === 'closed' ? 'closed tours' : 'tours'}.`);
  stopAnimation();
  $('tour').value = tour.number;
  $('slider').max = sliderEnd();
  $('slider').value = sliderPosition(BigInt(tour.number));
  $('shown').max = $('shown').value = tour.squares.length - (tour.kind === 'closed' ? 0 : 1);
  const which = `Tour ${group(tour.number)} of ${group(total)} (numbers start at 0)`;
  $('tour-text').textContent = `${which} is ${describeTour(tour)}.`;
  $('slider').ariaValueText = which;
  if (tour.number !== String(number)) task.say(`The tours have the numbers 0 to ${group(total - 1n)}.`, true);
  writeLink();
  drawMoves(tour);
}

/** Shows a random tour: random numbers with enough bits are drawn until one is below the total. */
function showRandom() {
  const bits = total.toString(2).length;
  const words = crypto.getRandomValues(new BigUint64Array(Math.ceil(bits / 64)));
  const number = BigInt.asUintN(bits, words.reduce((sum, word) => (sum << 64n) | word));
  if (number < total) showNumber(number);
  else showRandom();
}

/** Draws as many moves as the slider for them says. */
function drawMoves(tour = task.result) {
  const { squares, kind } = tour;
  const shown = $('shown').valueAsNumber;
  const drawing = drawTour(squares, kind === 'closed', shown);
  task.show(tour, { drawing, labels: labelTour(squares), piece: squares[shown % squares.length] });
}

function stopAnimation() {
  clearInterval(animation);
  animation = null;
  $('play').textContent = 'Play';
}

function play() {
  if (animation) return stopAnimation();
  const slider = $('shown');
  if (slider.value === slider.max) slider.value = 0;
  $('play').textContent = 'Pause';
  $('board').scrollIntoView({ block: 'nearest' });
  drawMoves();
  animation = setInterval(() => {
    slider.stepUp();
    drawMoves();
    if (slider.value === slider.max) stopAnimation();
  }, Math.max(120, Math.min(400, 15000 / slider.max)));
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
  const request = { do: 'gallery', kind: task.kind, symmetry: $('symmetry').value, first, len: GALLERY_LENGTH };
  const answer = await task.run(request, 'Gallery');
  if (!answer) return;
  for (const { squares, number } of answer.tours) {
    const label = `Tour ${group(number)}`;
    const button = make('button', { type: 'button' }, drawThumbnail(squares, task.kind === 'closed'), label);
    button.onclick = async () => {
      await showNumber(BigInt(number));
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
