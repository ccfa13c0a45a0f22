// The customers of the checkout service.

/**
 * Sends `count` requests, one every `everyMs`, whether or not the earlier ones have been answered.
 */
export async function send(origin, { path, body, count, everyMs }) {
  const answers = [];
  const start = performance.now();
  for (let i = 0; i < count; i++) {
    const due = start + i * everyMs;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    answers.push(post(`${origin}${path}`, body));
  }
  return Promise.all(answers);
}

async function post(url, body) {
  const sentAt = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, sentAt, took: performance.now() - sentAt };
}

/** The smallest of the times that at least `share` of the answers did not exceed. */
export function quantile(answers, share) {
  const times = answers.map(({ took }) => took).sort((a, b) => a - b);
  return times[Math.ceil(times.length * share) - 1];
}
