// A registry for npm that has what `make package` made, and nothing else: so that the line of the
// README is what is tested.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

/**
 * `folders` has a folder a package, also for the platforms for which nothing could be built here;
 * `packages` has the archives.
 */
export async function openRegistry(folders, packages) {
  const manifests = readdirSync(folders).map((name) => JSON.parse(readFileSync(join(folders, name, 'package.json'), 'utf8')));
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url).slice(1);
    const archive = join(packages, path);
    const manifest = manifests.find(({ name }) => name === path);
    if (manifest !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(about(manifest)));
    else if (path.endsWith('.tgz') && existsSync(archive)) response.end(readFileSync(archive));
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;

  function about(manifest) {
    const { name, version } = manifest;
    const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
    const archive = join(packages, file);
    const integrity = existsSync(archive) ? `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}` : undefined;
    return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist: { tarball: `${origin}/${file}`, integrity } } } };
  }

  return { origin, close: () => server.close() };
}
