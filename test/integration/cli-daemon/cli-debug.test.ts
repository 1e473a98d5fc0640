// `ACTORCTL_DEBUG` as `--debug`: what an error shows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';

let home: Home;
beforeAll(() => {
  home = inProcessHome();
});
afterAll(() => home.remove());

describe('an error', () => {
  it.each([
    ['1', true],
    ['true', true],
    ['', false],
    ['0', false],
    ['False', false],
  ])('with ACTORCTL_DEBUG="%s" shows its stack: %s', async (value, isShown) => {
    const { code, stderr } = await home.cli(['whoami', '--instance', 'a b'], { env: { ACTORCTL_DEBUG: value } });
    expect([code, /^ {4}at /m.test(stderr)]).toEqual([2, isShown]);
  });
});
