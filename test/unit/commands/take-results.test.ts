// Taking results of an execution: what was taken before a failure is never lost.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Request } from '../../../src/client/call.ts';
import { takeResults } from '../../../src/commands/executions/result-reader.ts';
import { CliFailure } from '../../../src/failure.ts';
import { resolveSettings } from '../../../src/local/settings/settings.ts';

const settings = resolveSettings({ flags: {}, env: {}, files: {}, duration: Number });
const source = { actorId: 'a', executionId: 'x' };

/** A service that returns each result in turn, with the error at the end, and with no result after it. */
const takerOf = (results: readonly string[], failure?: CliFailure) => {
  const left: (string | CliFailure)[] = [...results, ...(failure ? [failure] : [])];
  const request: Request = async () => {
    const next = left.shift() ?? '';
    if (next instanceof CliFailure) throw next;
    return { status: 200, headers: {}, body: Readable.from([Buffer.from(next)]) as IncomingMessage };
  };
  return { request, settings };
};

const kept = () => {
  const texts: string[] = [];
  return { texts, keep: async (bytes: Buffer) => void texts.push(bytes.toString()) };
};

describe('results that are taken', () => {
  it('are all, or the first', async () => {
    const { texts, keep } = kept();
    const some = async (first: boolean) =>
      (await takeResults(takerOf(['one', 'two']), source, { first, keep })).map(String);
    expect(await some(false)).toEqual(['one', 'two']);
    expect(await some(true)).toEqual(['one']);
    expect(texts).toEqual(['one', 'two', 'one']);
  });
  it('may be none without an error, unless one is requested', async () => {
    const { keep } = kept();
    expect(await takeResults(takerOf([]), source, { first: false, keep })).toEqual([]);
    await expect(takeResults(takerOf([]), source, { first: true, keep })).rejects.toMatchObject({ code: 'NO_RESULT' });
  });
  it('are included in the error of a later request, which keeps its code', async () => {
    const { texts, keep } = kept();
    const taker = takerOf(['one', 'two'], new CliFailure('NETWORK', 'gone', { hint: 'again' }));
    await expect(takeResults(taker, source, { first: false, keep })).rejects.toMatchObject({
      code: 'NETWORK',
      message: 'took 2 results of execution x, then: gone',
      extras: {
        hint: 'again',
        details: {
          results: [
            { bytes: 3, base64: 'b25l' },
            { bytes: 3, base64: 'dHdv' },
          ],
        },
      },
    });
    expect(texts).toEqual(['one', 'two']);
  });
  it('are included in the error if the file cannot be written', async () => {
    const keep = () => Promise.reject(new CliFailure('USAGE', 'cannot write f'));
    await expect(takeResults(takerOf(['one']), source, { first: true, keep })).rejects.toMatchObject({
      code: 'USAGE',
      extras: { details: { results: [{ bytes: 3, base64: 'b25l' }] } },
    });
  });
  it('are not mentioned if there were none before the failure', async () => {
    const failure = new CliFailure('NETWORK', 'gone');
    await expect(takeResults(takerOf([], failure), source, { first: false, keep: kept().keep })).rejects.toBe(failure);
  });
});
