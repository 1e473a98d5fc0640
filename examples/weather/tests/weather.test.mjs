// node --test examples/weather/tests
import assert from 'node:assert';
import { after, before, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startPlatform } from 'actorctl/testing';

let platform;
before(async () => {
  const project = fileURLToPath(new URL('..', import.meta.url));
  platform = await startPlatform({ project, clock: new Date('2030-01-01T00:00:00Z') });
});
beforeEach(() => platform.reset());
after(() => platform.close());

test('counts each reading', async () => {
  await platform.run('weather-intake', { temperature: 21 });
  await platform.run('weather-intake', { temperature: -3 });
  await platform.settled();
  assert.deepEqual(await platform.state('weather-count'), { seen: 2 });
});

test('does not count what is no reading', async () => {
  const { exitCode, log } = await platform.run('weather-intake', 'rain', { check: false });
  assert.equal(exitCode, 2);
  assert.match(log, /no reading/);
});

test('reports at seven every morning', async () => {
  await platform.clock.advance('2d');
  const reports = await platform.executions('weather-report');
  assert.deepEqual(
    reports.map(({ exitCode }) => exitCode),
    [0, 0],
  );
});
