// What doctor says about the ways from containers to the daemon.
import { expect, it } from 'vitest';
import { reachFindings } from '../../../src/commands/doctor/reach-check.ts';

const address = 'http://172.18.0.1:8722';
const all = [{ way: 'api' }, { way: 'socket' }, { way: 'file' }] as const;
type Report = Parameters<typeof reachFindings>[0];

const said = (report: Report, limitations: readonly string[] = []) =>
  reachFindings(report, limitations).map(({ name, level, text }) => `${level} ${name}: ${text}`);

it.each<[string, Report, string]>([
  ['every way', { address, ways: [...all] }, `a container reaches ${address} and returns results by socket and file`],
  ['the API alone', { address, ways: [{ way: 'api' }] }, `a container reaches ${address}; results go over HTTP`],
  ['no test', { untried: 'the processor is unknown', ways: [] }, 'no container was tried: the processor is unknown'],
])('%s is ok', (_what, report, text) => {
  expect(said(report)).toEqual([`ok reach: ${text}`]);
});

it.each([
  ['api', `a container does not reach ${address}: denied`],
  ['socket', 'a container does not reach the results socket: denied'],
  ['file', 'a container cannot write its result file: denied'],
] as const)('a way that does not work is an error with a fix: %s', (way, text) => {
  const ways = all.map((each) => (each.way === way ? { way, fault: 'denied' } : each));
  expect(said({ address, ways })).toEqual([`error reach: ${text}`]);
  expect(reachFindings({ address, ways }, [])[0]?.fix).toMatch(/./);
});

it('limits are ok, and a warning if one of them is that containers have no way to the API', () => {
  expect(said({ address, ways: [...all] }, ['a', 'b'])[0]).toBe('ok engine limits: a; b');
  const ways = [{ way: 'api' as const, fault: 'the engine has no way to this machine' }];
  expect(said({ ways }, ['a', 'b'])).toEqual(['warning engine limits: a; b']);
});
