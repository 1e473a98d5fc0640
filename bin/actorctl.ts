#!/usr/bin/env node
// Entry point of the command line.
import './node-version.ts';
import { createRequire } from 'node:module';
import { fixedText } from '../src/fixed-text.ts';
import { keepCompiled } from '../src/local/compile-cache.ts';
import type * as program from '../src/main.ts';
import { standardStream } from '../src/standard-stream.ts';

const argv = process.argv.slice(2);
const text = fixedText(argv, process.env);
if (text !== undefined) {
  const stdout = standardStream(1, () => process.stdout, {
    onFailure: ({ message }) => {
      process.exitCode = 2;
      process.stderr.write(`error: cannot write to standard output: ${message}\n`);
    },
  });
  stdout.write(text);
} else {
  keepCompiled(process.env);
  const { main } = createRequire(import.meta.url)('./actorctl/main.cjs') as typeof program;
  void main(argv);
}
