// What Deno was allowed. It asks its user, or throws, where a program wants more, and an engine is
// not worth a question.

interface Permissions {
  querySync(wanted: { name: string; variable?: string }): { state: string };
}

/** True in every other host. */
export function isAllowed(name: string, variable?: string): boolean {
  const { Deno } = globalThis as { Deno?: { permissions: Permissions } };
  return Deno === undefined || Deno.permissions.querySync(variable === undefined ? { name } : { name, variable }).state === 'granted';
}
