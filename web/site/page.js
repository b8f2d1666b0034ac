// Helpers of the page: elements, texts, downloads.

export const $ = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const isSvg = ['svg', 'g', 'path', 'circle', 'text'].includes(tag);
  const space = isSvg ? 'http://www.w3.org/2000/svg' : 'http://www.w3.org/1999/xhtml';
  const element = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Makes a table of texts. The first cell of each row is its head. */
export function makeTable(caption, heads, rows) {
  const makeRow = ([head, ...cells], scope, tag) =>
    make('tr', {}, make('th', { scope }, head), ...cells.map((text) => make(tag, {}, text)));
  const body = make('tbody', {}, ...rows.map((row) => makeRow(row, 'row', 'td')));
  return make('table', {}, make('caption', {}, caption), make('thead', {}, makeRow(heads, 'col', 'th')), body);
}

/** Writes a whole number with thin spaces between groups of three digits. */
export const group = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f');
export const tours = (number) => `${group(number)} ${String(number) === '1' ? 'tour' : 'tours'}`;

/** Writes a share in percent. Only none and all are written as 0 % and 100 %. */
export function percent(share) {
  if (share > 0 && share < 0.00001) return '< 0.001\u202f%';
  if (share > 0.999 && share < 1) return '> 99.9\u202f%';
  return `${Number((100 * share).toPrecision(share < 0.1 ? 2 : 3))}\u202f%`;
}

/** Writes a number in at most five characters, for a square of the board. */
export function abbreviate(number) {
  if (number.length <= 4) return group(number);
  const style =
    number.length <= 15
      ? { notation: 'compact', maximumSignificantDigits: 2 }
      : { notation: 'scientific', maximumSignificantDigits: 1 };
  return new Intl.NumberFormat('en', style).format(number);
}

export const seconds = (time) =>
  time < 60 ? `${time.toFixed(time < 10 ? 1 : 0)} s` : `${Math.floor(time / 60)} min ${Math.floor(time % 60)} s`;

const CLASSES = {
  asymmetric: 'no symmetry',
  axial: 'a mirror symmetry',
  diagonal: 'a diagonal mirror symmetry',
  rot90: 'a quarter-turn symmetry',
  rot180: 'a half-turn symmetry',
  several: 'several symmetries',
  'rot180 eulerian': 'a half-turn symmetry (same direction)',
  'rot180 bergholtian': 'a half-turn symmetry (reversed direction)',
};
const KINDS = {
  closed: 'a closed tour',
  open: 'an open tour',
  're-entrant': 'a re-entrant tour (its ends are a move apart)',
};

/** Describes a tour of the engine, such as `a closed tour with no symmetry`. */
export function describeTour({ kind, symmetry, magic }) {
  const name = CLASSES[symmetry] ?? (symmetry ? 'symmetries of the board with joined edges' : 'unknown symmetry');
  return `${KINDS[kind]} with ${name}${magic ? `; its numbers are ${magic}` : ''}`;
}

/** Returns an SVG document as a PNG picture of about 1200 pixels. */
async function toPng(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = 1200 / Math.max(image.width, image.height);
  const canvas = new OffscreenCanvas(image.width * scale, image.height * scale);
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob();
}

/** Saves a text as a file, or an SVG document as a PNG picture. */
export async function download(name, text) {
  const content = name.endsWith('.png') ? await toPng(text) : new Blob([text]);
  const url = URL.createObjectURL(content);
  make('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
