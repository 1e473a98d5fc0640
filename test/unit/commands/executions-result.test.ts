// `executions result` prints the results it received even if a later request fails, because the service has already
// removed them.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { executionsResult } from '../../../src/commands/executions/executions-result.ts';
import { CliFailure } from '../../../src/failure.ts';

/** Takes all results of an execution that has one, after which the service fails. */
const taken = async (machine: boolean) => {
  const printed: unknown[] = [];
  const answers = ['one'];
  const context = {
    output: {
      machine,
      printsValue: true,
      result: (_text: string, value: unknown) => void printed.push(JSON.parse(JSON.stringify(value))),
    },
    settings: {},
    call: async () => ({ id: 'Xabcdefghijkl', actorId: 'Aabcdefghijkl' }),
    request: async () => {
      const text = answers.shift();
      if (text === undefined) throw new CliFailure('NETWORK', 'gone');
      return { status: 200, headers: {}, body: Readable.from([Buffer.from(text)]) as IncomingMessage };
    },
  };
  const action = await executionsResult.load();
  const run = action.bind({ execution: ['Aabcdefghijkl/Xabcdefghijkl'] }, { all: [true] });
  const error: unknown = await run(context as never).catch((failure: unknown) => failure);
  return { printed, error };
};

it('executions result prints results received before a failure, or puts them into the details of a JSON error', async () => {
  const results = [{ bytes: 3, base64: 'b25l' }];
  const failure = { code: 'NETWORK', extras: { details: { results } } };
  expect(await taken(false)).toMatchObject({ printed: [results], error: failure });
  expect(await taken(true)).toMatchObject({ printed: [], error: failure });
});
