// The task Tours: tours by number, their animation, and a gallery.

import { drawThumbnail, drawTour, labelTour } from './board.js';
import { writeLink } from './form.js';
import { $, describeTour, group, make, tours } from './page.js';
import { Task } from './task.js';

const GALLERY_LENGTH = 12;
const MAX_SLIDER_STEPS = 1000000n;
let total = 0n;
let animation = null;

const sliderEnd = () => (total > MAX_SLIDER_STEPS ? MAX_SLIDER_STEPS : total - 1n);
/** Returns the first position of the slider that is not before a number, so that the position stays that of a key. */
const sliderPosition = (number) => (total > 1n ? (number * sliderEnd() + total - 2n) / (total - 1n) : 0n);

/** Shows the tour with a number, or the first or last one. */
async function showNumber(number) {
  $('tour').value = number;
  const tour = await task.run({ do: 'tour', kind: task.kind(), number: String(number) }, 'Numbering all tours');
  stopAnimation();
  total = BigInt(tour.total);
  $('tour-controls').disabled = false;
  $('tour').value = tour.number;
  $('slider').max = sliderEnd();
  $('slider').value = sliderPosition(BigInt(tour.number));
  $('shown').max = tour.squares.length - (tour.kind === 'closed' ? 0 : 1);
  $('shown').value = $('shown').max;
  const which = `Tour ${group(tour.number)} of ${group(total)} (numbers start at 0)`;
  $('tour-text').textContent = `${which} is ${describeTour(tour)}.`;
  $('slider').ariaValueText = which;
  if (tour.number !== String(number)) task.say(`The tours have the numbers 0 to ${group(total - 1n)}.`, true);
  writeLink();
  drawMoves(tour);
}

const moveNumber = (step) => () => showNumber(BigInt($('tour').value.replace(/[\s,]/g, '')) + step);

/** Draws random numbers with enough bits until one is below the total, so that all tours are equally likely. */
function showRandom() {
  const bits = total.toString(2).length;
  const words = crypto.getRandomValues(new BigUint64Array(Math.ceil(bits / 64)));
  const number = BigInt.asUintN(bits, words.reduce((sum, word) => (sum << 64n) | word));
  if (number < total) showNumber(number);
  else showRandom();
}

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

async function extendGallery() {
  const first = $('gallery').children.length;
  const request = { do: 'gallery', kind: task.kind(), symmetry: $('symmetry').value, first, len: GALLERY_LENGTH };
  const answer = await task.run(request, 'Gallery');
  for (const { squares, number } of answer.tours) {
    const label = `Tour ${group(number)}`;
    const button = make('button', { type: 'button' }, drawThumbnail(squares, task.kind() === 'closed'), label);
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

function clearGallery() {
  task.stop();
  $('gallery').replaceChildren();
}

const changes = {
  tour: moveNumber(0n), symmetry: clearGallery,
  'tours-kind': () => { $('tour').value = ''; task.drop(); task.open(); },
};
const task = new Task('tours', {
  buttons: {
    play, random: showRandom, previous: moveNumber(-1n), following: moveNumber(1n),
    'gallery-open': () => { clearGallery(); extendGallery(); }, 'gallery-more': extendGallery,
  },
  start: moveNumber(0n), change: (id) => changes[id]?.(),
  clear: () => { stopAnimation(); $('tour-controls').disabled = true; },
});

$('slider').oninput = () => showNumber((BigInt($('slider').value) * (total - 1n)) / sliderEnd());
$('shown').oninput = () => { stopAnimation(); drawMoves(); };
