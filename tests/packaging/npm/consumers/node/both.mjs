// A program whose parts use different module systems has one bulkhead class, and one of every
// error.
import { createRequire } from 'node:module';
import * as imported from 'bulkheads';
import * as testing from 'bulkheads/testing';

const require = createRequire(import.meta.url);
const isSame = (ours, theirs) => Object.keys(theirs).length > 0 && Object.keys(theirs).every((name) => ours[name] === theirs[name]);

console.log(isSame(imported, require('bulkheads')), isSame(testing, require('bulkheads/testing')));
