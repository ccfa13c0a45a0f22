// What `npm install` in this folder would do: afterwards `import 'bulkheads'` finds the package as
// built in js/.

import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';

const link = new URL('node_modules/bulkheads', import.meta.url);

if (!existsSync(link)) {
  mkdirSync(new URL('node_modules', import.meta.url), { recursive: true });
  rmSync(link, { force: true }); // a link whose target has gone
  symlinkSync('../../../js', link, 'dir');
}
