// What the profiles of the benchmark say: which part of the daemon the time belongs to, and which turns were the longest.
import { describe, expect, it } from 'vitest';
import { commandPartOf } from '../../bench/profiles/command-profile.ts';
import { ownSentence, type Profile, sharesOf } from '../../bench/profiles/shares.ts';
import { longestTurns } from '../../bench/profiles/turns.ts';

const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 0, columnNumber: 0 });

describe('the shares of a profile', () => {
  it('count the time of a window by source file, native functions with their callers, and no idle time', () => {
    const profile: Profile = {
      startTime: 1_000,
      nodes: [
        { id: 1, callFrame: frame('(root)'), children: [2, 3, 4, 5, 7, 8] },
        { id: 2, callFrame: frame('(idle)') },
        { id: 3, callFrame: frame('(garbage collector)') },
        { id: 4, callFrame: frame('handle', 'built:daemon/http/app.ts') },
        { id: 5, callFrame: frame('append', 'built:daemon/store/journal/journal.ts'), children: [6] },
        { id: 6, callFrame: frame('write') },
        { id: 7, callFrame: frame('next', 'built:node_modules/router/index.js') },
        { id: 8, callFrame: frame('emit', 'node:events') },
      ],
      samples: [4, 2, 3, 4, 5, 6, 7, 8, 8],
      timeDeltas: [500, 1_000, 1_000, 2_000, 3_000, 4_000, 500, 200, 9_000],
    };
    const shares = sharesOf(profile, { from: 2_000, to: 15_000 }, ({ url }) => url.replace('built:', ''));
    expect(shares).toEqual([
      ['store, journal and logs', 7],
      ['HTTP layer of the daemon', 2],
      ['garbage collection', 1],
      ['Express', 0.5],
      ['node:http, sockets and streams', 0.2],
    ]);
    const said = 'The code of the daemon itself takes 900.0 of 1070.0 µs.';
    expect(ownSentence(shares, 10, 50)).toBe(said);
    expect(ownSentence(shares, 10, 0)).toBe(
      `${said} Without all of it, and with the same garbage, there would be 6.29 times as many in a second.`,
    );
  });
});

describe('the longest turns of the event loop', () => {
  it('have the one that blocks, with its processor time, and the longest first', async () => {
    const block = (): void => {
      const end = process.cpuUsage().user + 60_000;
      while (process.cpuUsage().user < end);
    };
    const turns = await longestTurns(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      block();
      await new Promise((resolve) => setImmediate(resolve));
    });
    expect(Math.max(...turns.map(({ processorMs }) => processorMs))).toBeGreaterThanOrEqual(60);
    expect(turns.map(({ ms }) => ms)).toEqual(turns.map(({ ms }) => ms).toSorted((a, b) => b - a));
  });
});

it('the part of a command belongs to the file of the program, or to the module of Node', () => {
  const parts = [
    'node:internal/modules/cjs/loader',
    'node:internal/bootstrap/realm',
    'node:vm',
    'file:///x/dist/actorctl.cjs',
    'file:///x/dist/actorctl/line-COlkvnEo.cjs',
    'file:///x/dist/actorctl/run-MBT3PZqE.cjs',
    'node:_http_client',
    'node:internal/streams/readable',
    'evalmachine',
  ].map(commandPartOf);
  expect(parts).toEqual([
    'start of Node, until the program runs',
    'modules of Node that the command needs',
    'reading and compiling the program',
    'reading and compiling the program',
    'commander, and the plan of the command line',
    'the command itself',
    'requests: node:http, sockets, streams and timers',
    'requests: node:http, sockets, streams and timers',
    'other',
  ]);
});
