// Helpers of the page: elements, numbers, downloads.

export const $ = (id) => document.getElementById(id);

/** Adds attributes or properties, and children, to a new element, and returns it. */
function fill(element, values, children) {
  for (const [name, value] of Object.entries(values)) {
    if (name in element && !(element instanceof SVGElement)) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export const make = (tag, values = {}, ...children) => fill(document.createElement(tag), values, children);
export const makeSvg = (tag, values = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), values, children);

/** Creates a table of texts. The first cell of each row is its head, the second one a number. */
export function makeTable(caption, heads, rows) {
  const body = rows.map(([head, ...cells]) =>
    make('tr', {}, make('th', { scope: 'row' }, head), ...cells.map((text) => make('td', {}, text))));
  return make('table', {}, make('caption', {}, caption),
    make('thead', {}, make('tr', {}, ...heads.map((head) => make('th', { scope: 'col' }, head)))),
    make('tbody', {}, ...body));
}

/** Writes a whole number with thin spaces between groups of three digits. */
export const group = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f');
export const tours = (number) => `${group(number)} ${String(number) === '1' ? 'tour' : 'tours'}`;
export const percent = (share) => `${(100 * share).toPrecision(share < 0.1 ? 2 : 3)}\u202f%`;

/** Writes a number in at most five characters, for a square of the board. */
export function abbreviate(number) {
  if (number.length <= 4) return number;
  const notation = number.length <= 15 ? 'compact' : 'scientific';
  return new Intl.NumberFormat('en', { notation, maximumSignificantDigits: 2 }).format(number);
}

export function seconds(time) {
  if (time < 60) return `${time.toFixed(time < 10 ? 1 : 0)} s`;
  return `${Math.floor(time / 60)} min ${Math.floor(time % 60)} s`;
}

export function download(name, content) {
  const url = URL.createObjectURL(new Blob([content]));
  make('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Draws an SVG document as a PNG picture of about 1200 pixels. */
export async function toPng(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = 1200 / Math.max(image.width, image.height);
  const canvas = make('canvas', { width: image.width * scale, height: image.height * scale });
  const context = canvas.getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

export const toCsv = (rows) =>
  rows.map((row) => row.map((cell) => (/[",]/.test(cell) ? `"${cell}"` : cell)).join(',') + '\n').join('');
