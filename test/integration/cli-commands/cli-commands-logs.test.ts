// `logs`, `executions` and `workers` of the built program against the built daemon.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

let home: Home;
let image: string;

const idOf = async (...args: string[]): Promise<string> => (await home.cli([...args, '-q'])).stdout.trim();

beforeAll(async () => {
  home = inProcessHome();
  await home.up();
  image = shellActor(home.folder);
  const { code, stderr } = await home.cli([
    'actors',
    'create',
    image,
    '--name',
    'sh',
    '-e',
    'X=1',
    '--workers',
    '4',
    '--wait',
  ]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
}, 60_000);

afterAll(() => home.remove(), 60_000);

describe('logs', () => {
  it('of a finished execution end, also with --follow', async () => {
    const id = await idOf('send', 'sh', '-m', 'fail');
    await home.cli(['executions', 'wait', id]);
    for (const flags of [[], ['-f']]) {
      expect(await home.cli(['logs', id, ...flags])).toEqual({ code: 0, stdout: 'before\n', stderr: 'trouble\n' });
    }
    expect(await home.cli(['logs', id, '--stderr'])).toEqual({ code: 0, stdout: '', stderr: 'trouble\n' });
    expect(await home.cli(['logs', id, '--tail', '0'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await home.cli(['logs', id, '--since', '@1'])).toMatchObject({ stdout: 'before\n' });
    expect(await home.cli(['logs', id, '--since', '0s'])).toMatchObject({ stdout: '' });
  });

  it('of a running execution without --follow are printed as far as they exist', async () => {
    const id = await idOf('send', 'sh', '-m', 'hang');
    let shown = '';
    while (shown === '') shown = (await home.cli(['logs', `sh/${id}`])).stdout;
    expect(shown).toBe('started\n');
    await home.cli(['executions', 'halt', `sh/${id}`, '-y']);
  });

  it('with --follow of a running execution continue to its end', async () => {
    const id = await idOf('send', 'sh', '-m', 'steps');
    expect(await home.cli(['logs', `sh/${id}`, '-f'])).toMatchObject({ code: 0, stdout: 'step 1\nstep 2\nstep 3\n' });
  });

  it('have times and execution ids with -t and --prefix, and are one object per line with --json', async () => {
    const id = await idOf('send', 'sh', '-m', 'steps');
    await home.cli(['executions', 'wait', id]);
    const { stdout } = await home.cli(['logs', id, '-t', '--prefix', '--tail', '1']);
    expect(stdout).toMatch(new RegExp(`^${id} \\| \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z step 3\\n$`));
    const json = (await home.cli(['logs', id, '--json', '--tail', '1'])).stdout;
    expect(JSON.parse(json)).toMatchObject({
      execution: id,
      stream: 'stdout',
      line: 'step 3',
      time: expect.any(String),
    });
  });

  it('with --follow of an actor show every later execution, until a signal', async () => {
    const following = home.start(['logs', 'sh', '-f']);
    const first = await idOf('send', 'sh', '-m', 'one');
    const second = await idOf('send', 'sh', '-m', 'two');
    // The follower may have started after both executions ended. It must show messages that are sent from now on.
    while (!/got: later/.test(following.out())) await idOf('send', 'sh', '-m', 'later');
    following.interrupt();
    expect((await following.ended).code).toBe(130);
    expect(following.out()).toMatch(/^\w{13} \| got: later$/m);
    expect([first, second].every((id) => /^\w{13}$/.test(id))).toBe(true);
  });

  it('of an unknown actor or execution exit with 6, and print nothing', async () => {
    for (const reference of ['nope', 'aaaaaaaaaaaaa', 'sh/aaaaaaaaaaaaa', 'nope@last', 'nope/aaaaaaaaaaaaa']) {
      expect(await home.cli(['logs', reference, '-f'])).toMatchObject({ code: 6, stdout: '' });
      expect(await home.cli(['executions', 'show', reference])).toMatchObject({ code: 6, stdout: '' });
    }
    expect(await home.cli(['run', 'nope', '-m', 'x'])).toMatchObject({ code: 6, stdout: '' });
    expect(await home.cli(['executions', 'show', 'sh@first'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('executions', () => {
  it('are found by id, by actor and id, as the last one, and as the last failed one', async () => {
    const failed = await idOf('send', 'sh', '-m', 'fail');
    await home.cli(['executions', 'wait', failed]);
    const fine = await idOf('send', 'sh', '-m', 'fine');
    await home.cli(['executions', 'wait', fine]);
    for (const [reference, id] of [
      [fine, fine],
      [`id:${fine}`, fine],
      [`sh/${failed}`, failed],
      ['@last', fine],
      ['sh@last', fine],
      ['@last:failed', failed],
      ['sh@last:failed', failed],
    ] as const) {
      expect(await idOf('executions', 'show', reference), reference).toBe(id);
    }
    // Without a terminal, the first letters of an id are not accepted.
    expect(await home.cli(['execs', 'get', fine.slice(0, 8)])).toMatchObject({ code: 6 });
  });

  it('are listed newest first, with filters and a limit', async () => {
    const all = await home.json<{ id: string; status: string; exitCode?: number; messageReceivedTime: string }[]>(
      'executions',
      'list',
      'sh',
      '--all',
    );
    const times = all.map((row) => row.messageReceivedTime);
    expect(times).toEqual([...times].sort().reverse());
    expect((await home.cli(['executions', 'list', '--limit', '2', '-q'])).stdout.trim().split('\n')).toHaveLength(2);
    const failed = await home.json<typeof all>('executions', 'list', '--failed', '--filter', 'exitCode=3');
    expect(failed.length).toBeGreaterThan(0);
    expect(new Set(failed.map(({ exitCode }) => exitCode))).toEqual(new Set([3]));
    expect(await home.json('executions', 'list', '--since', '0s')).toEqual([]);
    expect(await home.json('executions', 'list', 'sh', '--status', 'submitted')).toEqual([]);
  });

  it('are halted only after a confirmation, and only while they run', async () => {
    const id = await idOf('send', 'sh', '-m', 'hang');
    const asked = await home.cli(['executions', 'halt', `sh/${id}`]);
    expect({ ...asked, stderr: /--yes/.test(asked.stderr) }).toEqual({ code: 3, stdout: '', stderr: true });
    while ((await home.json('executions', 'show', `sh/${id}`))['status'] !== 'RUNNING');
    expect(await home.cli(['executions', 'halt', `sh/${id}`, '-y'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^Halted ${id} after `)),
    });
    expect(await home.cli(['executions', 'halt', `sh/${id}`, '-y'])).toMatchObject({ code: 7 });
  });

  it('are waited for together, or until one of them ends with --any', async () => {
    const long = await idOf('send', 'sh', '-m', 'hang');
    const short = await idOf('send', 'sh', '-m', 'x');
    expect(await home.cli(['executions', 'wait', `sh/${long}`, `sh/${short}`, '--any'])).toMatchObject({
      code: 0,
      stdout: `${short}  COMPLETE  exit 0\n`,
    });
    expect(await home.cli(['executions', 'wait', `sh/${long}`, `sh/${short}`, '--timeout', '100ms'])).toMatchObject({
      code: 8,
    });
    await home.cli(['executions', 'halt', `sh/${long}`, '-y']);
  });
});

it('workers list lists the workers of an actor', async () => {
  const workers = await home.json<{ status: string; image: string }[]>('workers', 'list', 'sh');
  expect(workers.length).toBeGreaterThan(0);
  expect(new Set(workers.map((worker) => worker.image))).toEqual(new Set([image]));
});
