// The task Tours: tours by number, their animation, and a gallery.

import { drawThumbnail, drawTour, labelTour } from './board.js';
import { Engine } from './engine.js';
import { $, describeTour, group, make, tours } from './page.js';
import { writeLink } from './page_state.js';
import { Task } from './task.js';

const GALLERY_LENGTH = 12;
const MAX_SLIDER_STEPS = 1000000n;
/** The engine with the index of all tours. The gallery has another one, so that it can be cancelled. */
const index = new Engine();
let total = 0n;
/** The number of the tour that the user has chosen last. */
let newestNumber = 0n;
/** The request for a tour of the index. It shows the newest number before it returns. */
let tourRequest = null;
let animation = null;

const sliderEnd = () => (total > MAX_SLIDER_STEPS ? MAX_SLIDER_STEPS : total - 1n);
/** Returns the first position of the slider that is not before a number: for the number of a position, that one. */
const sliderPosition = (number) => (total > 1n ? (number * sliderEnd() + total - 2n) / (total - 1n) : 0n);

const makeRequest = (number) => ({ do: 'tour', kind: task.kind(), number: String(number) });

/** Shows the tour with a number, or the first or last one. */
async function showNumber(number) {
  newestNumber = number;
  $('tour').value = number;
  if (task.result) {
    tourRequest ??= loadNewest();
    return tourRequest;
  }
  const tour = await task.run(makeRequest(number), 'Numbering all tours', { engine: index });
  total = BigInt(tour.total);
  $('tour-controls').disabled = false;
  $('slider').max = sliderEnd();
  showTour(tour, number);
}

async function loadNewest() {
  let number;
  do {
    number = newestNumber;
    const { Ok: tour, Err: fault } = await task.send(makeRequest(number), index);
    if (tour) showTour(tour, number);
    else task.setMessage(fault.text, true);
  } while (number !== newestNumber);
  tourRequest = null;
}

function showTour(tour, number) {
  stopAnimation();
  const which = `Tour ${group(tour.number)} of ${group(total)} (numbers start at 0)`;
  $('tour-text').textContent = `${which} is ${describeTour(tour)}.`;
  $('shown').max = tour.squares.length - (tour.kind === 'closed' ? 0 : 1);
  $('shown').value = $('shown').max;
  drawMoves(tour);
  // The controls already show a newer number.
  if (number !== newestNumber) return;
  $('tour').value = tour.number;
  $('slider').value = sliderPosition(BigInt(tour.number));
  $('slider').ariaValueText = which;
  const isBeyond = tour.number !== String(number);
  if (!task.job) task.setMessage(isBeyond ? `The tours have the numbers 0 to ${group(total - 1n)}.` : '', true);
  writeLink();
}

const moveNumber = (step) => () => showNumber(BigInt($('tour').value.replace(/[\s,]/g, '')) + step);

/** Draws random numbers with enough bits until one is below the total, so that all tours are equally likely. */
function showRandom() {
  const bits = total.toString(2).length;
  const words = crypto.getRandomValues(new BigUint64Array(Math.ceil(bits / 64)));
  const number = BigInt.asUintN(
    bits,
    words.reduce((sum, word) => (sum << 64n) | word),
  );
  if (number < total) showNumber(number);
  else showRandom();
}

function drawMoves(tour = task.result) {
  const { squares, kind } = tour;
  const length = $('shown').valueAsNumber;
  const drawing = drawTour(squares, kind === 'closed', length);
  task.show(tour, { drawing, labels: labelTour(squares), piece: squares[length % squares.length] });
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
  const showNextMove = () => {
    slider.stepUp();
    drawMoves();
    if (slider.value === slider.max) stopAnimation();
  };
  animation = setInterval(showNextMove, Math.max(120, Math.min(400, 15000 / slider.max)));
}

async function extendGallery() {
  const [first, kind] = [$('gallery').children.length, task.kind()];
  const request = { do: 'gallery', kind, symmetry: $('symmetry').value, first, len: GALLERY_LENGTH };
  const gallery = await task.run(request, 'Gallery');
  const numbers = await task.run({ do: 'numbers', kind, tours: gallery.tours }, 'Gallery', { engine: index });
  const items = gallery.tours.map((squares, i) => makeGalleryItem(squares, kind, numbers[i]));
  $('gallery').append(...items);
  if (document.activeElement === $('gallery-more')) items[0]?.firstChild.focus({ preventScroll: true });
  $('gallery-more').hidden = !gallery.has_more;
  const length = first + items.length;
  const all = length === 1 ? 'The only tour' : `All ${tours(length)}`;
  const which = gallery.has_more ? `The first ${tours(length)}` : all;
  task.setMessage(length ? `${which}, without turned and mirrored copies.` : 'There is no such tour.');
}

function makeGalleryItem(squares, kind, number) {
  const label = `Tour ${group(number)}`;
  const button = make('button', { type: 'button' }, drawThumbnail(squares, kind === 'closed'), label);
  button.onclick = async () => {
    await showNumber(BigInt(number));
    $('board').scrollIntoView({ block: 'nearest' });
  };
  return make('li', {}, button);
}

function clearGallery() {
  task.stop();
  $('gallery').replaceChildren();
}

const task = new Task('tours', {
  async start() {
    await moveNumber(0n)();
    if ($('symmetry').value) extendGallery();
  },
  onChange(id) {
    if (id === 'tour') moveNumber(0n)();
    if (id === 'symmetry') clearGallery();
    if (id !== 'tours-kind') return;
    $('tour').value = '';
    task.drop();
    task.startOnce();
  },
  clear() {
    stopAnimation();
    index.end();
    tourRequest = null;
    $('tour-controls').disabled = true;
  },
  buttons: {
    play,
    random: showRandom,
    previous: moveNumber(-1n),
    following: moveNumber(1n),
    'gallery-open': () => {
      clearGallery();
      extendGallery();
    },
    'gallery-more': extendGallery,
  },
});

$('slider').oninput = () => showNumber((BigInt($('slider').value) * (total - 1n)) / sliderEnd());
$('shown').oninput = () => {
  stopAnimation();
  drawMoves();
};
