// Tests of the page in headless Chromium: every task once, with the numbers of the program, and cancellation.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const site = fileURLToPath(new URL('../site/', import.meta.url));
const program = process.env.KTOUR ?? fileURLToPath(new URL('../../target/release/ktour', import.meta.url));
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
let isOffline = false;
const server = createServer(async ({ url, socket }, response) => {
  if (isOffline) return socket.destroy();
  const path = join(site, url === '/' ? 'index.html' : new URL(url, 'http://page').pathname);
  try {
    response.writeHead(200, { 'Content-Type': types[extname(path)] }).end(await readFile(path));
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${server.address().port}/`;

const browser = await chromium.launch({
  executablePath: execFileSync('which', [process.env.CHROMIUM ?? 'chromium'], { encoding: 'utf8' }).trim(),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
const faults = [];
const ktour = (...words) => execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const plain = (text) => text.replaceAll('\u202f', '');

/**
 * Opens the page, without its service worker. The module can be served after `wasmDelay` milliseconds or as `wasmType`,
 * a file can be missing, a script can run before those of the page, and `page.files` can hold the requests for files.
 */
async function open(link = '', { wasmDelay, wasmType, missing, script, countsFiles, ...options } = {}) {
  const context = await browser.newContext({
    serviceWorkers: 'block',
    viewport: { width: 1280, height: 900 },
    acceptDownloads: true,
    ...options,
  });
  const page = await context.newPage();
  page.on(
    'console',
    (message) =>
      ['error', 'warning'].includes(message.type()) &&
      !/blocked by Playwright/.test(message.text()) &&
      faults.push(message.text()),
  );
  page.on('pageerror', (error) => faults.push(String(error)));
  page.setDefaultTimeout(20000);
  if (countsFiles) {
    page.files = [];
    context.on('request', (request) => page.files.push(new URL(request.url()).pathname.slice(1)));
  }
  if (script) await page.addInitScript(script);
  if (missing) await page.route(`**/${missing}`, (route) => route.fulfill({ status: 404 }));
  if (wasmDelay || wasmType) {
    await page.route('**/ktour.wasm', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, wasmDelay ?? 0));
      await route.fulfill({ path: join(site, 'ktour.wasm'), contentType: wasmType ?? types['.wasm'] });
    });
  }
  await page.goto(address + link);
  return page;
}

/** Waits until the text of an element, without thin spaces, matches a pattern. */
async function waitForText(page, selector, pattern) {
  try {
    await page.waitForFunction(
      ([where, source]) =>
        new RegExp(source).test(document.querySelector(where)?.textContent.replaceAll('\u202f', '') ?? ''),
      [selector, pattern.source],
      { timeout: 20000 },
    );
  } catch (error) {
    const found = await page
      .locator(selector)
      .textContent()
      .catch(() => 'nothing');
    throw new Error(`${selector} is \`${plain(found)}\`, expected ${pattern}: ${error.message}`);
  }
}

/** Waits until the message of the open task matches a pattern. */
const waitForMessage = (page, pattern) => waitForText(page, '.panel:not([hidden]) .message', pattern);

/** Changes a field, as a user does who leaves it then. */
async function change(page, field, value) {
  await page.fill(field, value);
  await page.press(field, 'Tab');
}

/** Returns the lines of tours without comments. */
const listTours = (...words) =>
  ktour(...words)
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'));

const square = (page, name) => page.locator(`#board button[data-name=${name}]`);

async function downloaded(page, panel, title, name = /./) {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page
      .locator(`#panel-${panel} .downloads`)
      .getByRole('button', { name: `Download ${title}`, exact: true })
      .click(),
  ]);
  assert.match(file.suggestedFilename(), name);
  return readFile(await file.path());
}

const tests = {
  async 'count: the numbers of the program, and CSV'() {
    const page = await open();
    await page.click('#count');
    await waitForText(page, '#count-result table', /All paths/);
    const shown = await page
      .locator('#count-result tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.cells].slice(1).map((cell) => cell.textContent)));
    const lines = ktour('count', '6x6', '--distinct')
      .trim()
      .split('\n')
      .slice(1, 4)
      .map((line) => line.trim().split(/\s+/).slice(1));
    assert.deepEqual(
      shown.map((row) => row.map(plain)).map(([tours, , distinct]) => [tours, distinct]),
      lines,
    );
    assert.match(String(await downloaded(page, 'count', 'CSV')), /closed,9862,19724,1245/);
  },

  async 'count: a removed square, by keyboard, is in the link'() {
    const page = await open('#board=5x5&task=count');
    await square(page, 'a1').focus();
    for (const key of ['ArrowRight', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
    await page.waitForFunction(() => location.hash.includes('remove=b2'));
    assert.match(await square(page, 'b2').getAttribute('aria-label'), /removed/);
    await page.selectOption('#count-kind', 'paths');
    await page.click('#count');
    await waitForText(
      page,
      '#count-result',
      new RegExp(`All paths${ktour('count', '5x5', '--remove', 'b2', '--kind', 'paths').trim()}`),
    );
    const again = await open(new URL(page.url()).hash);
    await again.waitForFunction(() => document.querySelector('[data-name=b2].hole'));
  },

  async 'count: wrapped board and another piece'() {
    const page = await open('#board=4x4&wrap=torus&piece=0%2C1');
    await page.selectOption('#count-kind', 'closed');
    await page.click('#count');
    const number = ktour('count', '4x4', '--wrap', 'torus', '--piece', '0,1', '--kind', 'closed').trim();
    await waitForText(page, '#count-result', new RegExp(`Closed tours${number}`));
  },

  async 'count: too large a board is refused'() {
    const page = await open('#board=10x10');
    await page.selectOption('#count-kind', 'closed');
    await page.click('#count');
    await waitForMessage(page, /too much\. Choose a smaller board\.$/);
  },

  async 'count, tours: a refusal names closed tours if the page can count them'() {
    const page = await open('#board=8x8');
    await page.click('#count');
    await waitForMessage(page, /too much\. Choose closed tours, or a smaller board\.$/);
    await page.selectOption('#count-kind', 'closed');
    await page.click('#count');
    await waitForText(page, '.panel:not([hidden]) .time', /Counting/);
    // A board of an odd number of squares has no closed tours.
    await change(page, '#rows', '9');
    await change(page, '#columns', '9');
    await page.selectOption('#count-kind', 'all');
    await page.click('#count');
    await waitForMessage(page, /too much\. Choose a smaller board\.$/);
    const tours = await open('#board=8x8&task=heat&kind=paths');
    await waitForMessage(tours, /Choose a smaller board\.$/);
    const walk = await open('#board=8x8&task=walk&walk=a1-b3');
    await waitForMessage(walk, /too much\. Walk on: later there are fewer\.$/);
  },

  async 'count: cancelled within 200 ms'() {
    const page = await open('#board=8x8');
    await page.selectOption('#count-kind', 'closed');
    await page.click('#count');
    await page.waitForSelector('.panel:not([hidden]) .cancel', { timeout: 60000 });
    // A control does not end the count.
    await page.selectOption('#count-kind', 'open');
    await waitForMessage(page, /^Cancel the count before you change what it counts\.$/);
    assert.equal(await page.inputValue('#count-kind'), 'closed');
    const milliseconds = await page.evaluate(async () => {
      const begin = performance.now();
      document.querySelector('#panel-count .cancel').click();
      while (document.querySelector('#panel-count .message').textContent !== 'Cancelled.')
        await new Promise((resolve) => setTimeout(resolve, 1));
      return performance.now() - begin;
    });
    assert.ok(milliseconds < 200, `${milliseconds} ms`);
    assert.ok(await page.locator('#panel-count .retry').evaluate((button) => button === document.activeElement));
    await page.fill('#rows', '5');
    await page.press('#rows', 'Tab');
    await page.fill('#columns', '6');
    await page.press('#columns', 'Tab');
    await page.click('#count');
    await waitForText(page, '#count-result', /Closed tours8/);
  },

  async 'tours: by number, animation, pictures'() {
    const page = await open('#board=6x6&task=tours&kind=closed&tour=4711');
    await waitForText(page, '#tour-text', /^Tour 4711 of 9862 .* closed tour with no symmetry/);
    const csv = String(await downloaded(page, 'tours', 'CSV'));
    const listed = ktour('unrank', '6x6', '--kind', 'closed', '4711', '--bare').trim();
    assert.ok(csv.includes(`closed,${listed},`), csv);
    assert.match(String(await downloaded(page, 'tours', 'SVG', /^tours-6x6-4711\.svg$/)), /^<svg|^<\?xml/);
    const animation = await downloaded(page, 'tours', 'animated SVG', /^tours-6x6-4711-animated\.svg$/);
    assert.match(String(animation), /animateMotion/);
    assert.equal((await downloaded(page, 'tours', 'PNG')).subarray(1, 4).toString(), 'PNG');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.click('#play');
    await page.waitForFunction(() => document.querySelectorAll('#board .tour path').length === 3);
    assert.ok(
      await page.evaluate(() => document.getElementById('board').getBoundingClientRect().top > -1),
      'Play shows the board',
    );
    await page.click('#play');
    await page.click('#following');
    await waitForText(page, '#tour-text', /^Tour 4712 /);
    await page.locator('#tour').selectText();
    await page.keyboard.type('17');
    await page.keyboard.press('Enter');
    await waitForText(page, '#tour-text', /^Tour 17 /);
    await page.click('#random');
    await page.waitForFunction(() => !/tour=17&|tour=17$/.test(location.hash));
    await page.locator('#slider').fill('9861');
    await waitForText(page, '#tour-text', /^Tour 9861 /);
  },

  async 'tours: gallery with a half-turn symmetry'() {
    const page = await open('#board=6x6&task=tours&kind=closed');
    await waitForText(page, '#tour-text', /^Tour 0 /);
    await page.selectOption('#symmetry', 'rot180');
    await page.click('#gallery-open');
    await page.waitForSelector('.gallery button');
    assert.equal(await page.locator('.gallery button').count(), 12);
    await page.click('#gallery-more');
    await page.waitForFunction(() => document.querySelectorAll('.gallery button').length > 12);
    await page.locator('.gallery button').first().click();
    await waitForText(page, '#tour-text', /half-turn symmetry/);
  },

  async 'heat map: the numbers of the program'() {
    const page = await open('#board=6x6&task=heat&kind=closed');
    await waitForText(page, '#heat-square', /Moves at a1, of 9862 tours/);
    await square(page, 'c3').hover();
    const number = ktour('count', '6x6', '--kind', 'closed', '--require', 'c3-d5').trim();
    await waitForText(page, '#heat-square', new RegExp(`c3 . d5${number}`));
    assert.match(
      plain(await square(page, 'a1').getAttribute('aria-label')),
      /^a1, move to [bc][23] 100%, move to [bc][23] 100%$/,
    );
    assert.match(String(await downloaded(page, 'heat', 'CSV')), /a1,c2,9862,1/);
  },

  async 'walk: exact numbers, hints, undo'() {
    const page = await open('#board=6x6&task=walk');
    for (const name of ['a1', 'b3', 'c5']) {
      await square(page, name).click();
      await waitForText(page, '#walk-result', new RegExp(`: ${name}.\\s+This beginning has`));
    }
    const rows = ktour('next', '6x6', '--begin', 'a1-b3-c5').trim().split('\n').slice(1, -1);
    for (const row of rows) {
      const [name, number] = row.trim().split(/\s+/);
      assert.ok(plain(await page.locator('#walk-result').textContent()).includes(`${name}: ${number} tour`), row);
    }
    const cut = await open('#board=6x6&task=walk&walk=a1-b3-b4');
    await waitForText(cut, '#notice', /cannot walk on to b4/);
    await waitForText(cut, '#walk-result', /Square 2 of 36: b3/);
    for (let i = 0; i < 10; i++) {
      await page.click('#hint');
      await waitForMessage(page, /^Hint/);
      await page.locator('#board button.best').click();
      await waitForText(page, '#walk-result', new RegExp(`Square ${i + 4} of 36[^]* tours?\\.`));
    }
    await page.click('#undo');
    await waitForText(page, '#walk-result', /Square 12 of 36/);
    await square(page, 'a1').click();
    await waitForMessage(page, /visited a1 already/);
  },

  async 'check: right and wrong tours'() {
    const page = await open('#board=6x6&task=check');
    await page.fill('#text', 'a1 b3 c5 a1');
    await page.click('#check');
    await waitForText(page, '#check-result', /Square 4, a1, was visited before/);
    await page.click('#example');
    await page.click('#check');
    await waitForText(page, '#check-result', /^\u2713 This is an open tour/);
    assert.equal(await page.inputValue('#rows'), '5');
    assert.equal((await downloaded(page, 'check', 'PNG')).subarray(1, 4).toString(), 'PNG');
  },

  async 'start: requests wait for a module that loads late'() {
    const page = await open('#board=5x6&task=count', { wasmDelay: 1000 });
    await page.keyboard.press('Escape');
    await page.click('#count');
    await page.click('#tab-tours');
    await waitForText(page, '#tour-text', /^Tour 0 of 8 /);
    const walk = await open('#board=5x6&task=walk', { wasmDelay: 1000 });
    await square(walk, 'a1').click();
    await waitForText(walk, '#walk-result', /Square 1 of 30: a1/);
  },

  async 'start: a missing module or worker is reported by every task'() {
    for (const file of ['ktour.wasm', 'worker.js']) {
      const page = await open('', { missing: file });
      await waitForText(page, '#notice', new RegExp(`${file} cannot be loaded`));
      for (const [task, press] of [
        ['count', '#count'],
        ['walk', '#board button'],
        ['check', '#check'],
      ]) {
        await page.click(`#tab-${task}`);
        await page.locator(press).first().click();
        await waitForMessage(page, new RegExp(`${file} cannot be loaded`));
        assert.ok(await page.locator('.panel:not([hidden]) .job').isHidden());
        assert.match(await page.textContent('#notice'), /cannot be loaded/);
      }
      faults.splice(0);
    }
  },

  async 'start: the page works without a network'() {
    const files = (await readdir(site)).filter((file) => file !== 'service_worker.js').sort();
    const script = await readFile(join(site, 'service_worker.js'), 'utf8');
    assert.deepEqual([...script.matchAll(/'(\w+\.\w+)'/g)].map(([, file]) => file).sort(), files);
    const page = await open('#board=5x5&task=walk', { serviceWorkers: 'allow' });
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await square(page, 'a1').click();
    await waitForText(page, '#walk-total', /304 tours/);
    await page.context().setOffline(true);
    isOffline = true;
    try {
      await square(page, 'b3').click();
      await waitForText(page, '#walk-total', /152 tours/);
      await page.waitForFunction(() => location.hash.includes('a1-b3'));
      await page.reload();
      await waitForText(page, '#walk-total', /152 tours/);
      await page.click('#tab-count');
      for (let i = 0; i < 2; i++) {
        // A cancelled count needs a new worker.
        await page.evaluate(() => document.getElementById('count').click());
        await page.keyboard.press('Escape');
      }
      await page.click('#count');
      await waitForText(page, '#count-result', /All paths864/);
    } finally {
      isOffline = false;
      faults.splice(0);
    }
  },

  async 'start: a worker answers many requests, and the module is loaded once'() {
    const page = await open('#board=6x6&task=walk', { countsFiles: true });
    for (const name of ['a1', 'b3', 'c5', 'e6', 'f4']) {
      await square(page, name).click();
      await waitForText(page, '#walk-result', new RegExp(`: ${name}.\\s+This beginning has`));
    }
    assert.equal(page.files.filter((file) => file === 'ktour.wasm').length, 1);
    // One worker describes the board, and one counts.
    assert.ok(page.files.filter((file) => file === 'worker.js').length <= 2, page.files);
    assert.equal(page.workers().length, 2);
  },

  async 'link: a browser that limits replaceState, and a module of any media type'() {
    const page = await open('#board=6x6&task=tours', {
      script: 'history.replaceState = () => { throw new Error("limit"); }',
      wasmType: 'text/plain',
    });
    await waitForText(page, '#tour-text', /^Tour 0 /);
    for (const number of [1, 2]) {
      await page.click('#following');
      await waitForText(page, '#tour-text', new RegExp(`^Tour ${number} `));
    }
  },

  async 'link: holds the kinds and choices, and bad ones are reported'() {
    const page = await open('#board=5x5&task=heat&kind=paths');
    await waitForText(page, '#heat-square', /of 864 tours/);
    await page.selectOption('#heat-kind', 'open');
    await page.waitForFunction(() => location.hash.includes('kind=open'));
    await page.click('#tab-count');
    await page.uncheck('#distinct');
    await page.waitForFunction(() => location.hash.includes('distinct=no'));
    const kind = await open('#board=5x5&task=walk&kind=closd&remove=a1%2Cf1');
    await waitForText(
      kind,
      '#notice',
      /understand remove=a1,f1, kind=closd in the link, and uses defaults instead\.\s*$/,
    );
    assert.equal(await kind.inputValue('#walk-kind'), 'paths');
    for (const [link, fault] of [
      ['tour=x&task=tours', 'tour=x'],
      ['boad=5x5', 'boad=5x5'],
      ['distinct=maybe', 'distinct=maybe'],
    ]) {
      await waitForText(await open(`#${link}`), '#notice', new RegExp(`understand ${fault} in the link`));
    }
    await kind.fill('#rows', '6');
    await kind.press('#rows', 'Tab');
    await waitForText(kind, '#notice', /^$/);
    const other = await open('#board=99x99&task=constructor');
    await waitForText(
      other,
      '#notice',
      /^This page does not understand task=constructor, board=99x99 in the link, and uses defaults instead\.\s*$/,
    );
    assert.ok(await other.locator('#panel-count').isVisible());
  },

  async 'link: the skip link keeps the state'() {
    const page = await open('#board=5x5&task=walk&walk=a1-b3');
    await waitForText(page, '#walk-result', /Square 2 of 25/);
    await page.locator('#skip').focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'panels');
    assert.equal(await page.inputValue('#rows'), '5');
    await waitForText(page, '#walk-result', /Square 2 of 25/);
  },

  async 'board: bad sizes are reported and change nothing'() {
    const page = await open('#board=5x6');
    for (const size of ['', '0', '99', '-3']) {
      await page.fill('#rows', size);
      await page.press('#rows', 'Tab');
      await waitForMessage(page, /1 to 10 rows/);
      assert.equal(await page.inputValue('#rows'), '5');
    }
  },

  async 'count: a second press does not restart a count'() {
    const page = await open('#board=8x8', { viewport: { width: 390, height: 844 } });
    await page.selectOption('#count-kind', 'closed');
    const top = () => page.evaluate(() => document.getElementById('count').getBoundingClientRect().top + scrollY);
    const before = await top();
    await page.click('#count');
    await waitForText(page, '.panel:not([hidden]) .time', /Counting: [1-9]/);
    assert.equal(await top(), before);
    await page.evaluate(() => document.getElementById('count').click());
    await page.waitForTimeout(300);
    assert.match(await page.textContent('.panel:not([hidden]) .time'), /Counting: [1-9]/);
  },

  async 'count: keeps running while another task is open, and its tab shows that'() {
    const page = await open('#board=8x8');
    await page.selectOption('#count-kind', 'closed');
    await page.click('#count');
    await page.click('#tab-walk');
    await waitForText(page, '#tab-count', /^Count ([\d.]+\s?%|\u2026)$/);
    await square(page, 'a1').click();
    await waitForText(page, '#walk-result', /Square 1 of 64/);
    await page.click('#tab-count');
    await waitForText(page, '#tab-count', /^Count$/);
    await waitForText(page, '.panel:not([hidden]) .time', /Counting: [1-9]/);
    await page.click('.panel:not([hidden]) .cancel');
    await waitForMessage(page, /Cancelled/);
    await page.selectOption('#count-kind', 'all');
    await page.fill('#rows', '6');
    await page.press('#rows', 'Tab');
    await page.fill('#columns', '7');
    await page.press('#columns', 'Tab');
    await page.click('#count');
    await page.click('#tab-check');
    await page.waitForSelector('#count-result table', { state: 'attached' });
    assert.equal(await page.textContent('.panel:not([hidden]) .message'), '');
    await page.click('#tab-count');
    await waitForMessage(page, /Closed tours: 1067638/);
  },

  async 'tours: nothing stays of other kinds, also on boards without tours'() {
    const page = await open('#board=5x5&task=tours&kind=paths');
    await waitForText(page, '#tour-text', /^Tour 0 of 864 /);
    await page.click('#gallery-open');
    await page.waitForSelector('.gallery button');
    await page.selectOption('#symmetry', 'rot180');
    assert.equal(await page.locator('.gallery button').count(), 0);
    assert.ok(await page.locator('#gallery-more').isHidden());
    await page.click('#gallery-open');
    await page.waitForSelector('.gallery button');
    await page.selectOption('#tours-kind', 'closed');
    await waitForMessage(page, /no closed tours/);
    assert.equal((await page.textContent('#tour-text')) + (await page.textContent('#gallery')), '');
    assert.equal(await page.locator('#board .tour').count(), 0);
    for (const place of ['#panel-tours .downloads', '#gallery-more']) assert.ok(await page.locator(place).isHidden());
  },

  async 'tours: a cancelled numbering can be tried again'() {
    const page = await open('#board=7x7&task=tours&kind=paths');
    await waitForText(page, '.panel:not([hidden]) .time', /Numbering/);
    await page.click('.panel:not([hidden]) .cancel');
    await page.click('.panel:not([hidden]) .retry');
    await waitForText(page, '.panel:not([hidden]) .time', /Numbering/);
  },

  async 'tours: fast keys on the slider, numbers beyond the last'() {
    const page = await open('#board=6x6&task=tours');
    await waitForText(page, '#tour-text', /^Tour 0 /);
    await page.locator('#slider').focus();
    for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowRight');
    await waitForText(page, '#tour-text', /^Tour 30 /);
    await page.fill('#tour', '99999');
    await page.press('#tour', 'Enter');
    await waitForMessage(page, /numbers 0 to 9861/);
    await page.fill('#tour', 'seven');
    await page.press('#tour', 'Enter');
    await waitForMessage(page, /whole number/);
    assert.equal(await page.inputValue('#tour'), '9861');
    const many = await open('#board=6x6&task=tours&kind=paths');
    await waitForText(many, '#tour-text', /^Tour 0 of 3318960 /);
    await many.locator('#slider').focus();
    for (const step of ['1', '2', '3']) {
      await many.keyboard.press('ArrowRight');
      await many.waitForTimeout(200);
      assert.equal(await many.inputValue('#slider'), step);
    }
  },

  async 'heat map: another kind, cancelled, and a board without a1'() {
    const page = await open('#board=6x6&remove=a1%2Cb1&task=heat&kind=paths');
    await waitForText(page, '#heat-square', /Moves at c1, of 4453920 tours/);
    const large = await open('#board=7x7&task=heat&kind=closed');
    await waitForMessage(large, /no closed tours/);
    await large.selectOption('#heat-kind', 'paths');
    await waitForText(large, '.panel:not([hidden]) .time', /Counting all moves/);
    await large.keyboard.press('Escape');
    await waitForMessage(large, /Cancelled/);
    assert.ok(await large.locator('#panel-heat .downloads').isHidden());
  },

  async 'walk: stale counts write nothing'() {
    const page = await open('#board=7x7&task=walk');
    await page.waitForFunction(() => document.querySelector('#board button.hole') === null);
    await square(page, 'a1').click();
    await page.click('#restart');
    await page.waitForTimeout(1500);
    assert.equal(
      plain((await page.textContent('#walk-result')) + (await page.textContent('#board')))
        .replace('\u265e', '')
        .trim(),
      '',
    );
    await square(page, 'a1').click();
    await square(page, 'b3').click();
    await page.keyboard.press('Escape');
    await waitForText(page, '#walk-result', /Square 2 of 49: b3/);
    await square(page, 'c5').click();
    await page.fill('#rows', '5');
    await page.press('#rows', 'Tab');
    await page.waitForTimeout(300);
    assert.equal((await page.textContent('#walk-result')).trim(), '');
  },

  async 'walk: two squares are no closed tour, and a closed one is saved as closed'() {
    const page = await open('#board=1x2&piece=0%2C1&task=walk&kind=closed');
    await page.waitForTimeout(500);
    await square(page, 'a1').click();
    await square(page, 'b1').click();
    await waitForMessage(page, /open tour. Your goal/);
    const closed = ktour('unrank', '6x6', '--kind', 'closed', '7', '--bare').trim().replaceAll(' ', '-');
    const walked = await open(`#board=6x6&task=walk&kind=closed&walk=${closed}`);
    await waitForMessage(walked, /closed tour: one more move/);
    assert.match(String(await downloaded(walked, 'walk', 'CSV')), /^closed,/m);
  },

  async 'check: single squares, several tours, other boards, long words'() {
    const page = await open('#board=6x6&task=check', { viewport: { width: 390, height: 844 } });
    const check = async (text, pattern) => {
      await page.fill('#text', text);
      await page.click('#check');
      await waitForText(page, '#check-result', pattern);
    };
    for (const text of ['0', '1', 'a1']) await check(text, /^\u2717/);
    await check('1'.repeat(500), /^\u2717/);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    assert.equal(await page.textContent('.panel:not([hidden]) .message'), '');
    await check('a1 b3 a1', /^\u2717 .*was visited before/);
    assert.equal(await page.locator('#board button.wrong').getAttribute('aria-label'), 'a1, here the tour breaks');
    await check(
      ktour('find', '12x12', '--format', 'squares').trim().split('\n').at(-1),
      /^\u2717 The text is of a board that this page does not have: board=12x12\.$/,
    );
    const tour = ktour('list', '5x5', '--limit', '1', '--format', 'squares').trim().split('\n').at(-1);
    await check(`${tour}\n${tour}`, /^\u2713 .*board of 5x5\. Only the first of 2 tours/);
    await page.click('#tab-tours');
    await page.click('#tab-check');
    assert.ok((await page.inputValue('#text')).startsWith(tour));
    await page.fill('#text', 'unfinished');
    await page.fill('#rows', '6');
    await page.press('#rows', 'Tab');
    await waitForText(page, '#check-result', /unfinished/);
    assert.equal(await page.inputValue('#text'), 'unfinished');
  },

  async 'page: without a clipboard, without squares, and focus after all squares are put back'() {
    const page = await open('#board=1x1', {
      script: 'Object.defineProperty(navigator, "clipboard", { value: undefined })',
    });
    await page.click('#copy-link');
    await waitForMessage(page, /Copy the address/);
    await square(page, 'a1').click();
    await waitForText(page, '#notice', /no squares/);
    await page.click('#restore');
    assert.equal(await page.evaluate(() => document.activeElement.dataset.name), 'a1');
    assert.equal(await page.locator('#board .hole').count(), 0);
  },

  async 'page: refusals give the time or memory in the browser, once for a walk'() {
    const page = await open('#board=10x10&task=tours');
    await waitForMessage(page, /^Numbering all tours would (take about [1-9]|need about \d).* in the browser/);
    await page.click('#tab-walk');
    await square(page, 'a1').click();
    await waitForMessage(page, /too much/);
    await square(page, 'b3').click();
    await waitForMessage(page, /too many to count/);
    await waitForText(page, '#walk-result', /Square 2 of 100: b3[^]*d2: 5 onward moves/);
  },

  async 'board: squares are square and hold the piece on a phone'() {
    for (const width of [360, 390]) {
      for (const size of [7, 8, 9, 10]) {
        const page = await open(`#board=${size}x${size}&task=walk&walk=a1-b3-d4`, { viewport: { width, height: 844 } });
        await waitForText(page, '#walk-square', /d4/);
        await page.waitForTimeout(250);
        const boxes = await page.locator('#board button').evaluateAll((buttons) =>
          buttons.map((button) => {
            const { left, top, right, bottom, width, height } = button.getBoundingClientRect();
            return { name: button.dataset.name, left, top, right, bottom, width, height };
          }),
        );
        const near = (a, b, what) =>
          assert.ok(Math.abs(a - b) < 1, `${what} on ${size}x${size} at ${width}: ${a}, ${b}`);
        const byName = Object.fromEntries(boxes.map((box) => [box.name, box]));
        for (const box of boxes) {
          near(box.width, box.height, `sides of ${box.name}`);
          const [file, rank] = [box.name[0], Number(box.name.slice(1))];
          const right = byName[String.fromCharCode(file.charCodeAt(0) + 1) + rank];
          const above = byName[file + (rank + 1)];
          if (right) near(box.right, right.left, `edges of ${box.name} and ${right.name}`);
          if (above) near(box.top, above.bottom, `edges of ${box.name} and ${above.name}`);
        }
        const piece = await page.locator('.piece').evaluate((piece) => piece.getBoundingClientRect().toJSON());
        near((piece.left + piece.right) / 2, (byName.d4.left + byName.d4.right) / 2, 'columns of the piece and d4');
        const height = (piece.top + piece.bottom) / 2;
        assert.ok(height > byName.d4.top && height < byName.d4.bottom, `the piece is at ${height}`);
        const wrap = (button) => [null, '::before'].map((part) => getComputedStyle(button, part).overflowWrap);
        assert.deepEqual(await square(page, `a${size}`).evaluate(wrap), ['normal', 'normal']);
        await page.context().close();
      }
    }
  },

  async 'count: numbers keep to one line on a phone'() {
    const page = await open('#board=6x6&remove=c3', { viewport: { width: 360, height: 844 } });
    await page.click('#count');
    await waitForText(page, '#count-result table', /All paths/);
    const lines = await page.locator('#count-result td').evaluateAll((cells) =>
      cells.map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getClientRects().length;
      }),
    );
    assert.ok(
      lines.every((number) => number === 1),
      lines,
    );
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
  },

  async 'board: forced colours keep squares, marks and removed squares apart'() {
    const page = await open('#board=6x6&remove=c3&task=walk&walk=a1', { forcedColors: 'active' });
    await waitForText(page, '#walk-total', /begins/);
    const styleOf = (name) =>
      square(page, name).evaluate((button) => {
        const { borderTopWidth, backgroundColor } = getComputedStyle(button);
        return [borderTopWidth, backgroundColor];
      });
    const [plainSquare, next, removed] = [await styleOf('f6'), await styleOf('b3'), await styleOf('c3')];
    assert.equal(plainSquare[0], '1px');
    assert.equal(next[0], '3px');
    assert.notEqual(removed[1], plainSquare[1]);
  },

  async 'accessibility: results are read once, and the states of buttons are exposed'() {
    const page = await open('#board=6x6&remove=c3');
    assert.equal(await square(page, 'c3').getAttribute('aria-pressed'), 'true');
    assert.equal(await square(page, 'a1').getAttribute('aria-pressed'), 'false');
    assert.equal(await page.getAttribute('#count', 'aria-disabled'), 'false');
    const large = await open('#board=8x8');
    await large.selectOption('#count-kind', 'closed');
    await large.click('#count');
    await waitForText(large, '.panel:not([hidden]) .time', /Counting/);
    assert.equal(await large.getAttribute('#count', 'aria-disabled'), 'true');
    await large.keyboard.press('Escape');
    assert.equal(await large.getAttribute('#count', 'aria-disabled'), 'false');

    await page.click('#tab-walk');
    assert.equal(await square(page, 'a1').getAttribute('aria-pressed'), null);
    await page.evaluate(() => {
      window.readings = [];
      const read = (changes) =>
        changes.forEach(({ target, addedNodes }) => {
          const region = target.closest('[role=status]');
          if (region && addedNodes.length) window.readings.push(region.textContent.replaceAll('\u202f', ''));
        });
      new MutationObserver(read).observe(document.querySelector('#panels'), { childList: true, subtree: true });
    });
    await square(page, 'b1').click();
    await waitForText(page, '#walk-total', /tours/);
    const [place, total, ...others] = await page.evaluate(() => window.readings);
    assert.match(place, /^Square 1 of 35: b1\.$/);
    assert.match(total, /^This beginning has \d+ tours\.$/);
    assert.deepEqual(others, []);
    assert.equal(await page.getAttribute('#tour-text', 'role'), 'status');
  },

  async 'tasks: arrow keys pass over tabs, and two jobs run at once'() {
    const page = await open('#board=7x8');
    // The board's own request starts a worker.
    for (let i = 0; i < 100 && page.workers().length === 0; i++) await page.waitForTimeout(100);
    await page.waitForTimeout(300);
    const workers = page.workers().length;
    await page.locator('#open-count').focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(300);
    assert.equal(page.workers().length, workers);
    await page.click('#tab-count');
    await page.click('#count');
    for (const task of ['tours', 'heat']) {
      await page.click(`#tab-${task}`);
      await page.selectOption(`#${task}-kind`, 'paths');
      if (task === 'tours') await waitForText(page, '.panel:not([hidden]) .time', /Numbering/);
    }
    await waitForMessage(page, /^Count and Tours are running\. Cancel one of them, or wait, and then try again\.$/);
    await page.click('#tab-tours');
    await page.click('.panel:not([hidden]) .cancel');
    await page.click('#tab-heat');
    await waitForText(page, '.panel:not([hidden]) .time', /Counting all moves/);
    // Stopped work starts again only if the user wants it.
    await page.keyboard.press('Escape');
    await page.click('#tab-count');
    await page.click('#tab-heat');
    await page.waitForTimeout(500);
    await waitForMessage(page, /^Cancelled\.$/);
    assert.ok(await page.locator('.panel:not([hidden]) .job').isHidden());
    await page.click('.panel:not([hidden]) .retry');
    await waitForText(page, '.panel:not([hidden]) .time', /Counting all moves/);
  },

  async 'tasks: a changed board ends the work on the old one, and the page reports that'() {
    const page = await open('#board=6x6&task=tours');
    await waitForText(page, '#tour-text', /^Tour 0 /);
    await page.click('#tab-count');
    assert.equal(page.workers().length, 2);
    await change(page, '#rows', '8');
    await page.waitForTimeout(300);
    assert.equal(page.workers().length, 1);
    assert.equal(await page.textContent('#notice'), '');
    await change(page, '#columns', '8');
    await page.selectOption('#count-kind', 'closed');
    await page.click('#count');
    await waitForText(page, '.panel:not([hidden]) .time', /Counting/);
    await square(page, 'a1').click();
    await waitForMessage(page, /^Cancel the count before/);
    await waitForText(page, '.panel:not([hidden]) .time', /Counting/);
    assert.equal(await page.locator('#board .hole').count(), 0);
    await change(page, '#rows', '5');
    await waitForText(page, '#notice', /^The board has changed, which ended: Count\.\s*$/);
  },

  async 'tours: galleries and slides keep the index'() {
    const page = await open('#board=6x6&task=tours&kind=paths');
    await waitForText(page, '#tour-text', /^Tour 0 of 3318960 /);
    let started = 0;
    page.on('worker', () => {
      started += 1;
    });
    await page.evaluate(() => {
      for (const id of ['gallery-open', 'gallery-open', 'following']) document.getElementById(id).click();
    });
    await waitForText(page, '#tour-text', /^Tour 1 /);
    await page.waitForSelector('.gallery button');
    assert.equal(await page.locator('.gallery button').count(), 12);
    await page.evaluate(async () => {
      document.getElementById('gallery-more').click();
      await new Promise((resolve) => setTimeout(resolve));
      document.querySelector('#panel-tours .cancel').click();
    });
    await waitForMessage(page, /Cancelled/);
    await page.click('#following');
    await waitForText(page, '#tour-text', /^Tour 2 /);
    assert.equal(started, 1, 'only the gallery needs a worker');
    const texts = await page.evaluate(async () => {
      const [slider, texts] = [document.getElementById('slider'), new Set()];
      for (let i = 1; i <= 60; i++) {
        slider.value = i * 10000;
        slider.dispatchEvent(new Event('input'));
        await new Promise((resolve) => setTimeout(resolve, 10));
        texts.add(document.getElementById('tour-text').textContent);
      }
      return texts.size;
    });
    assert.ok(texts > 3, `${texts} tours while the slider moves`);
    await waitForText(page, '#tour-text', /^Tour 1991\d\d\d /);
    assert.equal(await page.inputValue('#slider'), '600000');
  },

  async 'walk: hints and messages at dead ends, at the end, and for double clicks'() {
    const page = await open('#board=10x10&task=walk');
    for (const [name, message] of [
      ['b3', /too much/],
      ['d4', /too many/],
      ['c2', /too many/],
    ]) {
      await square(page, name).click();
      await waitForText(page, '#walk-square', new RegExp(name));
      await waitForMessage(page, message);
    }
    await page.click('#hint');
    await waitForMessage(page, /^Hint: (?!a1)\w+, because it has the fewest onward moves\.$/);
    assert.match(await page.textContent('#walk-next'), /a1: 0 onward moves/);
    await square(page, 'a1').click();
    await waitForMessage(page, /^This is a dead end/);
    await page.click('#hint');
    await waitForMessage(page, /undo a move/);
    await page.click('#undo');
    await waitForText(page, '#walk-square', /Square 3 of 100: c2/);
    await square(page, 'e3').dblclick();
    await page.waitForTimeout(300);
    await waitForText(page, '#walk-square', /Square 4 of 100: e3/);
    const tour = ktour('unrank', '6x6', '--kind', 'closed', '7', '--bare').trim().split(/\s+/);
    const closed = await open(`#board=6x6&task=walk&kind=closed&walk=${tour.join('-')}`);
    await waitForMessage(closed, /closed tour: one more move/);
    await square(closed, tour[0]).click();
    await waitForMessage(closed, new RegExp(`^The piece is back on ${tour[0]}: the tour is closed`));
    await closed.click('#hint');
    await waitForMessage(closed, /complete/);
  },

  async 'walk: a counted walk is not counted again at each return'() {
    const page = await open('#board=6x6&task=walk&walk=a1-b3');
    await waitForText(page, '#walk-total', /tours/);
    await page.evaluate(() => {
      window.changes = 0;
      new MutationObserver(() => {
        window.changes += 1;
      }).observe(document.getElementById('walk-total'), { childList: true });
    });
    await page.click('#tab-count');
    await page.click('#tab-walk');
    await page.waitForTimeout(500);
    assert.equal(await page.evaluate(() => window.changes), 0);
    assert.match(await square(page, 'c5').getAttribute('class'), /next/);
  },

  async 'check: a board that the page lacks changes nothing, and another board is announced'() {
    const page = await open('#board=6x6&remove=c3&task=check');
    await page.fill('#text', ktour('list', '5x5', '--piece', '1,2+2,2', '--limit', '1', '--format', 'squares'));
    await page.click('#check');
    await waitForText(
      page,
      '#check-result',
      /^\u2717 The text is of a board that this page does not have: piece=1,2\+2,2\.$/,
    );
    assert.equal(await square(page, 'c3').getAttribute('class'), 'hole');
    assert.equal(await square(page, 'c3').getAttribute('aria-label'), 'c3, removed');
    assert.equal(await square(page, 'a1').getAttribute('aria-label'), 'a1');
    await page.fill('#text', listTours('list', '5x5', '--limit', '1', '--format', 'squares')[0]);
    await waitForText(page, '#check-result', /^$/);
    await page.click('#check');
    await waitForText(page, '#check-result', /^\u2713 /);
    await waitForText(page, '#notice', /^The board is now 5x5, as in the text\. It was 6x6 with c3 removed\.\s*$/);
    assert.equal(await page.locator('#notice .error').count(), 0);
    await page.click('#check');
    await waitForText(page, '#notice', /^$/);
    await page.locator('#text').pressSequentially(' x');
    await waitForText(page, '#check-result', /^$/);
    assert.equal(await page.locator('#board .tour').count(), 0);
  },

  async 'link: long values, long patterns, several faults, and a browser that limits replaceState'() {
    const script = `
      const writeText = async (text) => { window.copy = text; };
      Object.defineProperty(navigator, 'clipboard', { value: { writeText } });`;
    const page = await open('#board=5x5&task=check', { script });
    await page.evaluate(() => {
      document.getElementById('text').value = 'a1 '.repeat(1000000);
    });
    await page.click('#copy-link');
    await waitForMessage(page, /^The link is copied\. It leaves out what is too long: text\.$/);
    assert.ok((await page.evaluate(() => window.copy)).endsWith('#task=check&board=5x5'));
    const begin = performance.now();
    const digits = await open(`#task=tours&tour=${'1'.repeat(60000)}x`);
    await waitForText(digits, '#notice', /does not understand tour=1/);
    assert.ok(performance.now() - begin < 1500, 'the pattern takes linear time');
    const walk = await open('#board=5x5&task=walk&walk=a1-b3-b4&speed=9');
    await waitForText(walk, '#notice', /understand speed=9 .* cannot walk on to b4/);
    const limited = await open('#board=5x5', {
      script: `${script} history.replaceState = () => { throw new Error(); };`,
    });
    await limited.click('#tab-check');
    await limited.click('#copy-link');
    await waitForMessage(limited, /copied\.$/);
    assert.ok((await limited.evaluate(() => window.copy)).endsWith('#task=check&board=5x5'));
  },

  async 'check: a wrong grid shows its fault on a board of its size'() {
    const page = await open('#board=6x6&task=check');
    await page.click('#example');
    await page.waitForFunction(() => document.getElementById('text').value);
    const grid = await page.inputValue('#text');
    await page.fill('#text', grid.replace('12 23', '23 12'));
    await page.click('#check');
    await waitForText(page, '#check-result', /^\u2717 Move 11, e3 to e1, is not a move of the knight\.$/);
    assert.deepEqual(
      await page.locator('#board button.wrong').evaluateAll((squares) => squares.map(({ dataset }) => dataset.name)),
      ['e3', 'e1'],
    );
    await page.fill('#text', `# ktour board=4x5 piece=1,2 remove=-\na1 b3 c4`);
    await page.click('#check');
    await waitForText(page, '#check-result', /^\u2717 Move 2, b3 to c4/);
    assert.equal(await page.inputValue('#rows'), '4');
    await page.fill('#text', Array(9).fill('1'.repeat(100000)).join(' '));
    await page.click('#check');
    await waitForText(page, '#check-result', /^\u2717 `1{24}\.\.\.`/);
    await change(page, '#rows', '8');
    await change(page, '#columns', '8');
    await page.click('#tab-count');
    await page.selectOption('#count-kind', 'closed');
    await page.click('#count');
    await waitForText(page, '.panel:not([hidden]) .time', /Counting/);
    await page.click('#tab-check');
    await page.click('#example');
    await page.click('#check');
    await waitForText(page, '#check-result', /^\u2717 The text is of another board\. Cancel the count/);
    assert.equal(await page.inputValue('#rows'), '8');
  },

  async 'board: lines over joined edges stay near the board'() {
    const page = await open('#board=3x4&wrap=torus&piece=1,4&task=tours&kind=paths&tour=5');
    await page.waitForSelector('#board .tour path');
    const clipPath = await page.locator('.overlay').evaluate((overlay) => getComputedStyle(overlay).clipPath);
    assert.match(clipPath, /^inset\(-4\.8px/);
  },

  async 'board: the symbol of the piece'() {
    for (const [piece, symbol, pattern] of [
      ['1,2', '\u265e', /&#9822;/],
      ['0,1%2B1,1', '\u265a', /&#9818;/],
      ['0,1', '\u25cf', /<circle r="[^>]*>\s*<set /],
    ]) {
      const page = await open(`#board=5x5&piece=${piece}&task=tours&kind=paths`);
      await waitForText(page, '#tour-text', /^Tour 0 /);
      assert.equal(await page.textContent('#board .piece'), symbol);
      assert.match(String(await downloaded(page, 'tours', 'animated SVG')), pattern);
    }
  },

  async 'walk, count: progress, estimates and zero tours'() {
    const page = await open('#task=walk&board=8x8&kind=closed&walk=a1', { viewport: { width: 320, height: 800 } });
    await waitForText(page, '.panel:not([hidden]) .time', /Counting the tours from here: .* left/);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
    await page.keyboard.press('Escape');
    await change(page, '#columns', '7');
    await change(page, '#rows', '7');
    await square(page, 'a1').click();
    await waitForText(page, '#walk-total', /^This board has no closed tours: .+\.$/);
    const count = await open('#board=8x8');
    await count.click('#count');
    await waitForText(count, '.panel:not([hidden]) .time', /^Estimating: /);
    const none = await open('#board=5x5&remove=c3&task=walk&walk=a1');
    await square(none, 'c3').click();
    await waitForMessage(none, /^c3 is removed from the board\.$/);
    await none.click('#tab-check');
    assert.ok(await none.locator('#keys').isHidden());
  },

  async 'tours: a link opens its gallery, which is complete or not'() {
    const page = await open('#board=6x6&task=tours&kind=closed&symmetry=rot180');
    await waitForMessage(page, /^The first 12 tours, without turned/);
    await page.click('#gallery-more');
    await waitForMessage(page, /^All 22 tours, without turned/);
  },

  async 'page: short forms of numbers'() {
    const page = await open();
    const texts = await page.evaluate(async () => {
      const { abbreviate, percent } = await import('./page.js');
      const numbers = ['9999', '12345', '999999', '999999999999999', '1234567890123456', '9'.repeat(40)];
      return [numbers.map(abbreviate), [0, 1e-9, 0.0123, 0.5, 0.9994, 0.9999, 1].map(percent)];
    });
    assert.ok(
      texts[0].every((text) => text.length <= 5),
      texts[0],
    );
    assert.deepEqual(texts[1].map(plain), ['0%', '< 0.001%', '1.2%', '50%', '> 99.9%', '> 99.9%', '100%']);
  },

  async 'page: labels, tabs by keyboard, narrow and dark'() {
    const page = await open('', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    const bottoms = await page.evaluate(() =>
      ['tabs', 'board'].map((id) => document.getElementById(id).getBoundingClientRect().bottom),
    );
    assert.ok(bottoms[0] < bottoms[1] && bottoms[1] <= 844, `the tabs and the board end at ${bottoms}`);
    await page.locator('#open-count').focus();
    for (const tab of ['tours', 'heat', 'walk', 'check']) {
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction((name) => document.activeElement.id === `open-${name}`, tab);
      const unlabelled = await page.evaluate(() =>
        [...document.querySelectorAll('input, select, textarea')]
          .filter((field) => !field.labels.length)
          .map((field) => field.id),
      );
      assert.deepEqual(unlabelled, []);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${tab} is ${width} pixels wide`);
    }
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(20, 24, 28)');
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  if (process.argv[2] && !name.includes(process.argv[2])) continue;
  const begin = performance.now();
  try {
    await test();
    assert.deepEqual(faults.splice(0), []);
    console.log(`ok      ${name} (${((performance.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    faults.splice(0);
    console.log(`FAILED  ${name}: ${error.stack}`);
  }
}
await browser.close();
server.close();
process.exit(failed ? 1 : 0);
