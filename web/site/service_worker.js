// The service worker: stores the files of the page, so that the page works without a network.

const FILES = [
  './', 'index.html', 'style.css', 'ktour.wasm', 'app.js', 'board.js', 'check.js', 'count.js', 'engine.js',
  'heat_map.js', 'module.js', 'page.js', 'page_state.js', 'task.js', 'tours.js', 'walk.js', 'worker.js',
];

async function storeFiles() {
  const cache = await caches.open('ktour');
  await cache.addAll(FILES);
  await skipWaiting();
}

/** Returns the file of the web host. Without a network, or if the host fails, returns the stored file. */
async function load(request) {
  const cache = await caches.open('ktour');
  const response = await fetch(request).catch(() => Response.error());
  if (!response.ok) return (await cache.match(request)) ?? response;
  await cache.put(request, response.clone()).catch(() => {});
  return response;
}

addEventListener('install', (event) => event.waitUntil(storeFiles()));
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => event.respondWith(load(event.request)));
