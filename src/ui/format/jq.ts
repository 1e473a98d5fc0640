// Runs jq expressions: jq itself, compiled to WebAssembly. @see docs/adr/0031-jq-is-webassembly.md
import { createRequire } from 'node:module';
import { parseExact } from '../../contract/exact-json.ts';
import { CliFailure } from '../../failure.ts';
import { type Json, jsonText } from './json.ts';

/** Returns the outputs of the expression. @throws CliFailure USAGE if the expression fails for this value */
export type JqFilter = (value: Json) => readonly Json[];

/** Beside the built program, jq-web is a file of its own. */
declare const ACTORCTL_JQ: string | undefined;

interface JqWeb {
  /** @throws Error with what jq printed to stderr, and a RuntimeError of WebAssembly without it */
  raw(json: string, filter: string, flags: readonly string[]): string | undefined;
}

/** By require, because the package exports a promise, and an import would take a module with `then` for one. */
const load = (): Promise<JqWeb> => {
  const require = createRequire(import.meta.url);
  return typeof ACTORCTL_JQ === 'string' ? require(ACTORCTL_JQ) : require('jq-web');
};

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Without listeners a signal ends the process at once. Listeners would have to wait for the event loop, which jq holds
 * until its expression ends, and an expression like `[repeat(1)]` never does.
 */
const interruptible = <T>(work: () => T): T => {
  const kept = SIGNALS.map((name) => [name, process.rawListeners(name)] as const);
  for (const [name] of kept) process.removeAllListeners(name);
  try {
    return work();
  } finally {
    for (const [name, listeners] of kept) {
      for (const listener of listeners) process.on(name, listener as NodeJS.SignalsListener);
    }
  }
};

/** `jq: error (at inputString:0): REASON`, and for a syntax error more lines that repeat the expression. */
const reasonOf = (error: unknown): string => {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  const [first = ''] = said.split('\n');
  const reason = first.replace(/^jq: error(?: \(at [^)]*\))?: /, '').replace(/(?: \(Unix .*\))? at <top-level>.*$/, '');
  return reason || 'jq has ended, perhaps because the expression needs too much memory';
};

/** @throws CliFailure USAGE if the expression is not valid */
export const compileJq = async (expression: string): Promise<JqFilter> => {
  const filter = expression.trim() === '' ? '.' : expression;
  const jq = await load();
  const run = (json: string, program: string): string => {
    try {
      return interruptible(() => jq.raw(json, program, ['-c', '--'])) ?? '';
    } catch (error) {
      throw new CliFailure('USAGE', `--jq: ${reasonOf(error)}`, {
        hint: 'the manual of jq: https://jqlang.org/manual',
        cause: error,
      });
    }
  };
  // Compiles the expression and runs none of it.
  run('null', `empty | ${filter}`);
  return (value) =>
    run(jsonText(value), filter)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => parseExact(line) as Json);
};
