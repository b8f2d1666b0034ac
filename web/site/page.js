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
  const cell = (text, at) => make(at ? 'td' : 'th', at ? { className: at === 1 ? 'number' : '' } : { scope: 'row' }, text);
  return make('table', {}, make('caption', {}, caption),
    make('thead', {}, make('tr', {}, ...heads.map((head) => make('th', { scope: 'col' }, head)))),
    make('tbody', {}, ...rows.map((row) => make('tr', {}, ...row.map(cell)))));
}

/** Writes a whole number with thin spaces between groups of three digits. */
export const group = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f');

/** Writes a number in at most five characters, for a square of the board. */
export function abbreviate(number) {
  const digits = String(number);
  if (digits.length <= 4) return digits;
  const power = Math.floor((digits.length - 1) / 3);
  const unit = ['', 'k', 'M', 'G', 'T', 'P', 'E'][power];
  if (!unit) return `1e${digits.length - 1}`;
  const head = digits.length - 3 * power;
  return head === 1 ? `${digits[0]}.${digits[1]}${unit}` : `${digits.slice(0, head)}${unit}`;
}

export const percent = (share) => `${(100 * share).toPrecision(share < 0.1 ? 2 : 3)}\u202f%`;

export function seconds(time) {
  if (time < 60) return `${time.toFixed(time < 10 ? 1 : 0)} s`;
  return `${Math.floor(time / 60)} min ${Math.floor(time % 60)} s`;
}

export function download(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
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
