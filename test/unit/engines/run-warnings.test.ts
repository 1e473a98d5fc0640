// What executions lack on an engine, in words.
import { expect, it } from 'vitest';
import { actorWarnings, executionWarnings, NO_API } from '../../../daemon/domain/executions/run-warnings.ts';

const whole = {
  limitsResources: true,
  limitsProcessors: true,
  reachesApi: true,
  hasResultSocket: true,
  secretsAreFiles: false,
};
const MEMORY = 'the memory limit has no effect on this container engine';
const PROCESSORS = 'the limit of processors has no effect on this container engine';
const ALL = 'memory and processes are not limited on this container engine';
const KEY = { API_KEY: { config: 'api-key' } };
const FILE = expect.stringContaining('API_KEY_FILE');
const SOCKET = expect.stringContaining('no result socket');

it.each([
  ['nothing is missing', { memLimit: '64m', maxCpus: 1 }, whole, []],
  ['the engine is unknown', { memLimit: '64m' }, undefined, []],
  ['no limit was asked for', { maxCpus: -1 }, { ...whole, limitsResources: false, limitsProcessors: false }, []],
  ['a memory limit has no effect', { memLimit: '64m' }, { ...whole, limitsResources: false }, [MEMORY]],
  ['a limit of processors has no effect', { maxCpus: 1 }, { ...whole, limitsProcessors: false }, [PROCESSORS]],
  ['the API is out of reach', {}, { ...whole, reachesApi: false, hasResultSocket: false }, [NO_API]],
  ['there is no socket', {}, { ...whole, hasResultSocket: false }, []],
  ['a legacy actor has no socket', { dialect: 'legacy' as const }, { ...whole, hasResultSocket: false }, [SOCKET]],
  ['variables come from configs', { configEnvironment: KEY }, whole, []],
  ['secrets are in files', { configEnvironment: KEY }, { ...whole, secretsAreFiles: true }, [FILE]],
  ['secrets are in files and none is asked for', {}, { ...whole, secretsAreFiles: true }, []],
])('the author of an actor is warned if %s', (_, actor, means, warnings) => {
  expect(actorWarnings(actor, means)).toEqual(warnings);
});

it('an execution names every limit that has no effect, and what the engine reported, each once', () => {
  const none = { ...whole, limitsResources: false, limitsProcessors: false };
  expect(executionWarnings({ maxCpus: 1 }, none, ['no swap', 'no swap'])).toEqual([ALL, PROCESSORS, 'no swap']);
  expect(executionWarnings({}, { ...whole, reachesApi: false }, [])).toEqual([NO_API]);
  expect(executionWarnings({ memLimit: '64m', maxCpus: 1 }, whole, [])).toEqual([]);
});

it('an engine that reports much is cut', () => {
  const many = Array.from({ length: 50 }, (_, n) => `${n}${'x'.repeat(10_000)}`);
  const kept = executionWarnings({}, undefined, many);
  expect(kept).toHaveLength(10);
  expect(Math.max(...kept.map(({ length }) => length))).toBe(500);
});
