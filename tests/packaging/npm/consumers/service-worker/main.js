import { use } from '../use.mjs';

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  if (event.request.url.endsWith('answer')) event.respondWith(use().then((answer) => new Response(answer)));
});
