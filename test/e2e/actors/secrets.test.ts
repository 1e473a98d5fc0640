// A secret config in the output of a real process: masked wherever the log is shown.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BuiltDaemon,
  builtDaemon,
  logsOf,
  reaches,
  register,
  scriptImage,
  send,
} from '../../support/daemon/daemon.ts';

const SECRET = 'tr0ub4dor&3';

describe('a secret config in the output of an actor', () => {
  let daemon: BuiltDaemon;
  beforeAll(async () => {
    daemon = builtDaemon({ engine: 'none' });
    await daemon.start();
    await daemon.admit();
  });
  afterAll(() => daemon.remove());

  const runWith = async (fields: object = {}) => {
    const actor = await register(daemon, {
      image: scriptImage(
        daemon,
        'echo "found $_actor_configs $PASSWORD"; printf "%s" "$_actor_configs$PASSWORD" >&2; [ ${#PASSWORD} = 11 ]',
      ),
      ...fields,
    });
    const name = `key-${actor}`;
    const configEnvironment = { PASSWORD: { config: name, path: 'password' } };
    const { image } = (await daemon.ask('GET', `/actors/v2/${actor}`)).result;
    const described = { image, ...fields, configEnvironment };
    expect((await daemon.ask('PUT', `/actors/v2/${actor}`, { json: described })).status).toBe(200);
    const json = { name, value: { password: SECRET }, actors: actor, is_secret: true };
    expect((await daemon.ask('POST', '/actors/v2/configs', { json })).status).toBe(200);
    const execution = await send(daemon, actor, { body: 'go' });
    expect(await reaches(daemon, actor, execution)).toMatchObject({ exitCode: 0 });
    return { actor, execution, name };
  };

  it('is masked in the log, the stream of the log and the search, and is in no file of the data folder', async () => {
    const { actor, execution, name } = await runWith();
    const masked = `{"${name}":{"password":"***"}}`;
    expect(await logsOf(daemon, actor, execution)).toContain(`found ${masked} ***\n`);
    const headers = { accept: 'text/event-stream' };
    const stream = await daemon.ask('GET', `/actors/v2/${actor}/executions/${execution}/logs`, { headers });
    expect(stream.text).toContain('***');
    expect(stream.text).not.toContain(SECRET);
    const found = async (text: string) =>
      (await daemon.ask('GET', `/actors/v2/search/logs?logs.like=${encodeURIComponent(text)}`)).result['search'];
    expect(JSON.stringify(await found(name))).toContain('***');
    expect(await found(SECRET)).toEqual([]);
    const files = readdirSync(daemon.folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    const holding = files.filter((file) => readFileSync(join(file.parentPath, file.name)).includes(SECRET));
    expect(holding.map(({ name }) => name)).toEqual([]);
  });

  it('is shown for an actor with showSecrets', async () => {
    const { actor, execution } = await runWith({ showSecrets: true });
    expect(await logsOf(daemon, actor, execution)).toContain(`"password":"${SECRET}"`);
    const shown = await daemon.ask('GET', `/actors/v2/${actor}`);
    expect(shown.result).toMatchObject({ showSecrets: true });
  });
});
