// The Node surface of the lab: a client on node:http with an agent that keeps its connections
// alive. usage: node client.mjs PORT, then lines of JSON (lines.mjs)

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get as request } from 'node:http';
import { Bulkhead } from 'bulkheads';
import { runRound, timeBareCalls } from './experiment.mjs';
import { answerLines, say } from './lines.mjs';

const [port] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(new URL('experiment.json', import.meta.url)));
const agent = new Agent({ keepAlive: true }); // of as many connections as there are calls: the bulkheads are what is measured
const lab = { Bulkhead, plan, get };

async function get(path, ms) {
  const [response] = await once(request({ agent, host: '127.0.0.1', port, path: `${path}?ms=${ms}` }), 'response');
  await once(response.resume(), 'end');
  if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`);
}

say({ runtime: `Node ${process.versions.node}`, engine: Bulkhead.engine });
await answerLines({
  time: (options) => timeBareCalls(lab, options),
  round: (options) => runRound(lab, options),
});
agent.destroy();
