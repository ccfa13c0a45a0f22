// The page: takes one sample, then goes where the next one is taken.

import { browserHost } from './browser-host.mjs';
import { contender } from './candidates/index.mjs';
import { job } from './rows/everywhere.mjs';

const { id, name, quick } = await post('/ready', navigator.userAgent);
const { use, sample } = job(id);
const answer = await sample(await contender(name, use), browserHost(quick)).catch((error) => ({ error: String(error) }));
location.replace(await post('/answer', answer));

async function post(path, body) {
  const response = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
  return response.json();
}
