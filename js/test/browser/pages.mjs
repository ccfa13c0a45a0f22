// A headless Chromium, and a server that gives it pages.

import { createServer } from 'node:http';
import { launch } from '../../../tests/ci/chromium.mjs';

/** `files` has, by path, the type, the content and perhaps more headers of what is served. */
export async function openBrowser(files) {
  const server = createServer(({ url }, response) => {
    const [type, body, headers] = files[url] ?? ['text/plain', ''];
    response.writeHead(url in files ? 200 : 404, { 'content-type': type, ...headers }).end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await launch('--js-flags=--expose-gc');
  const close = async () => {
    await browser.close();
    server.close();
  };
  return { browser, origin: `http://127.0.0.1:${server.address().port}`, close };
}
