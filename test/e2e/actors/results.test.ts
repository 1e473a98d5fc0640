// The results that a file: actor sends, and the commands that read them, with the built daemon. Needs no container
// engine.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BuiltDaemon,
  builtDaemon,
  NO_ENGINE,
  reaches,
  register,
  send,
  until,
} from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { oddBytes, sendProgram } from '../../support/engine/datagrams.ts';

describe('the results of a process actor', () => {
  let daemon: BuiltDaemon;
  beforeAll(async () => {
    daemon = builtDaemon({ engine: 'none' });
    await daemon.start();
    await daemon.admit();
  });
  afterAll(() => daemon.remove());

  const actorOf = async (name: string, script: string, fields: object = {}): Promise<string> => {
    const folder = join(daemon.folder, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'send.pl'), sendProgram);
    writeFileSync(join(folder, 'main.sh'), `send() { perl send.pl "$_svc_results_socket" "$@"; }\n${script}`);
    writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', 'main.sh'] }));
    return register(daemon, { image: `file://${folder}`, ...fields });
  };
  const take = (actor: string, execution: string) =>
    daemon.ask('GET', `/actors/v2/${actor}/executions/${execution}/results`);

  /** Whether the journal has this result. At a crash, results that are still in their socket are lost. */
  const isStored = (text: string): boolean => {
    const records = join(daemon.dataDir, 'db');
    const sought = `"base64":"${Buffer.from(text).toString('base64')}"`;
    return readdirSync(records).some(
      (name) => name.startsWith('journal-') && readFileSync(join(records, name)).includes(sought),
    );
  };

  it('are sent over the socket that a variable names', async () => {
    const actor = await actorOf('plain', 'send one "file:$_svc_binary_data_FILE"');
    const bytes = oddBytes(70_000);
    const headers = { 'content-type': 'application/octet-stream' };
    const execution = await send(daemon, actor, { body: bytes, headers });
    expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
    expect((await take(actor, execution)).text).toBe('one');
    expect((await take(actor, execution)).bytes.equals(bytes)).toBe(true);
  });

  it('of a legacy actor are sent with the names of the hosted platform too', async () => {
    const script =
      'perl send.pl "$_abaco_results_socket" "file:$_abaco_binary_data_FILE" "${MSG-none}" "$_abaco_actor_state"';
    const actor = await actorOf('legacy', script, { dialect: 'legacy', stateless: false, state: { ok: true } });
    const headers = { 'content-type': 'application/octet-stream' };
    const execution = await send(daemon, actor, { body: 'bytes', headers });
    expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
    for (const text of ['bytes', 'none', "{'ok': True}"]) expect((await take(actor, execution)).text).toBe(text);
  });

  it('continue after a restart of the daemon, and earlier results are still stored', async () => {
    const actor = await actorOf(
      'restarted',
      'send before; while send again; do sleep 0.1; done; touch refused; until send after; do sleep 0.1; done',
    );
    const execution = await send(daemon, actor);
    await until(() => isStored('before'));
    await daemon.kill();
    // A socket without a reader: the daemon that starts next must create it again.
    await until(() => existsSync(join(daemon.folder, 'restarted', 'refused')));
    await daemon.start();
    expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
    const taken: string[] = [];
    for (let text = 'x'; text !== ''; ) {
      text = (await take(actor, execution)).text;
      taken.push(text);
    }
    expect([taken[0], taken.at(-2)]).toEqual(['before', 'after']);
    expect(readFileSync(join(daemon.stateDir, 'daemon.log'), 'utf8')).not.toContain('result was dropped');
  });
});

describe('the results in the command line', () => {
  let home: Home;
  beforeAll(async () => {
    home = inProcessHome(NO_ENGINE);
    await home.up();
    const folder = join(home.folder, 'results-actor');
    mkdirSync(folder);
    writeFileSync(join(folder, 'send.pl'), sendProgram);
    const send = 'echo log; [ "$MSG" = none ] || perl send.pl "$_svc_results_socket" one "bytes:$MSG"';
    writeFileSync(join(folder, 'main.sh'), send);
    writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', 'main.sh'] }));
    const { code, stderr } = await home.cli(['actors', 'create', `file://${folder}`, '--name', 'out', '--wait']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  });
  afterAll(() => home.remove());

  const file = () => join(home.folder, 'results.bin');
  const both = (count: number) => Buffer.concat([Buffer.from('one'), oddBytes(count)]);

  it('are written by run -O, and run --result prints one of them without the log', async () => {
    expect(await home.cli(['run', 'out', '-m', '500', '-O', file()])).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(file()).equals(both(500))).toBe(true);
    expect(await home.cli(['run', 'out', '-m', '3', '--result'])).toMatchObject({ code: 0, stdout: 'one\0\x07\x0e' });
    expect(await home.json('run', 'out', '-m', '3', '--result')).toMatchObject({
      exit_code: 0,
      results: [
        { bytes: 3, base64: 'b25l' },
        { bytes: 3, base64: 'AAcO' },
      ],
    });
  });

  it('do not prevent run and executions result from printing the output of --template', async () => {
    const template = ['--template', '{{exit_code}}'];
    expect((await home.cli(['run', 'out', '-m', '3', '-O', file(), ...template])).stdout).toBe('0\n');
    expect(readFileSync(file()).equals(both(3))).toBe(true);
    expect((await home.cli(['run', 'out', '-m', '3', '--result', ...template])).stdout).toBe('0\n');
    expect((await home.cli(['run', 'out', '-m', '3', '-O', file(), '-o', 'id'])).stdout).toMatch(/^\w{13}\n$/);
    await home.cli(['run', 'out', '-m', '3']);
    const taken = await home.cli(['executions', 'result', '@last', '--all', '--template', '{{bytes}}']);
    expect(taken.stdout).toBe('3\n3\n');
  });

  it('that do not exist make run --result fail with a conflict', async () => {
    const { code, stderr } = await home.cli(['run', 'out', '-m', 'none', '--result']);
    expect({ code, stderr }).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/execution \w{13} has no result/),
    });
  });

  it('are retrieved one by one with executions result, and all at once with --all', async () => {
    await home.cli(['run', 'out', '-m', '600']);
    expect(await home.cli(['executions', 'result', '@last'])).toMatchObject({ code: 0, stdout: 'one' });
    expect((await home.cli(['executions', 'result', '@last', '--all', '-O', file()])).stdout).toContain('600 bytes');
    expect(readFileSync(file()).equals(oddBytes(600))).toBe(true);
    expect(await home.cli(['executions', 'result', '@last'])).toMatchObject({ code: 7, stdout: '' });
    expect(await home.json('executions', 'result', '@last', '--all')).toEqual([]);
    expect(await home.cli(['executions', 'result', 'nobodyatall00'])).toMatchObject({ code: 6 });
  });

  it('stay in the service if the output file cannot be written, and run sends no message', async () => {
    await home.cli(['run', 'out', '-m', '5']);
    const nowhere = join(home.folder, 'no-such-folder', 'results.bin');
    const refused = await home.cli(['executions', 'result', '@last', '--all', '-O', nowhere]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`cannot write ${nowhere}`) });
    const count = (await home.json<unknown[]>('executions', 'list', 'out')).length;
    expect(await home.cli(['run', 'out', '-m', '5', '-O', nowhere])).toMatchObject({ code: 2 });
    expect(await home.json<unknown[]>('executions', 'list', 'out')).toHaveLength(count);
    expect(await home.cli(['executions', 'result', '@last'])).toMatchObject({ code: 0, stdout: 'one' });
  });

  it('of successful runs are in the file even if a later run fails', async () => {
    const input = '5\nnone\n6\n';
    expect(await home.cli(['run', 'out', '--each-line', '-O', file()], { input })).toMatchObject({ code: 7 });
    expect(readFileSync(file()).equals(both(5))).toBe(true);
  });

  it('replace a longer file, and leave the file unchanged if there are no results', async () => {
    writeFileSync(file(), Buffer.alloc(100));
    expect(await home.cli(['run', 'out', '-m', 'none', '-O', file()])).toMatchObject({ code: 7 });
    expect(readFileSync(file())).toHaveLength(100);
    expect(await home.cli(['run', 'out', '-m', '5', '-O', file()])).toMatchObject({ code: 0 });
    expect(readFileSync(file()).equals(both(5))).toBe(true);
    const absent = join(home.folder, 'absent.bin');
    expect(await home.cli(['run', 'out', '-m', 'none', '-O', absent])).toMatchObject({ code: 7 });
    expect(existsSync(absent)).toBe(false);
    expect(await home.cli(['run', 'out', '-m', '5', '-O', '/dev/null'])).toMatchObject({ code: 0 });
  });
});
