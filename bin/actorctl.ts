#!/usr/bin/env node
// Entry point of the command line.
import path from 'node:path';
import { fixedText } from '../src/fixed-text.ts';
import type * as program from '../src/main.ts';
import { standardStream } from '../src/standard-stream.ts';
import { loadProgram } from './code-cache.ts';

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
  const { exports, keepCompiled } = loadProgram(path.join(import.meta.dirname, 'actorctl', 'main.cjs'));
  void (exports as typeof program).main(argv, keepCompiled);
}
