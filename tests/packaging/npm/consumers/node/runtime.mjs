// The main program of a serverless function, which lies elsewhere: imports the file that is named
// and calls its handler.
import { resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const module = await import(pathToFileURL(resolve(process.argv[2])).href);
// What a CommonJS bundle exports is not always seen by name.
console.log(await (module.handler ?? module.default.handler)());
