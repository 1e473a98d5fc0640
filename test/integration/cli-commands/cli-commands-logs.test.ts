// `logs`, `executions` and `workers` of the built program against the built daemon.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

let home: SharedHome;
let image: string;

const idOf = async (...args: string[]): Promise<string> => (await home.cli([...args, '-q'])).stdout.trim();

beforeAll(async () => {
  home = await sharedHome();
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
});

afterAll(() => home.remove());

describe('logs', () => {
  it('of a finished execution end, even with --follow', async () => {
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

  it('of a running execution without --follow are printed up to the present', async () => {
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
      execution_id: id,
      stream: 'stdout',
      line: 'step 3',
      time: expect.any(String),
    });
  });

  /** Follows actors, and begins once the follower shows an execution that began after it. */
  const follower = async (...actors: string[]) => {
    const following = home.start(['logs', ...actors, '-f']);
    while (!/ready/.test(following.out())) await idOf('run', 'sh', '-m', 'ready');
    return following;
  };
  /** The numbers of the messages in the order of the lines, without the executions that woke the follower. */
  const numbers = (text: string): readonly string[] => [...text.matchAll(/got: n(\d+)$/gm)].map(([, n]) => n ?? '');

  it('with --follow of an actor show every execution that begins later once, until a signal', async () => {
    const following = await follower('sh');
    const sent = Array.from({ length: 12 }, (_, n) => String(n));
    const ids = await Promise.all(sent.map((n) => idOf('send', 'sh', '-m', `n${n}`)));
    await expect.poll(() => numbers(following.out())).toHaveLength(12);
    // A later execution is shown after everything before it was found.
    await idOf('run', 'sh', '-m', 'last');
    await expect.poll(() => following.out()).toContain('got: last');
    following.interrupt();
    const { code, stderr } = await following.ended;
    expect({ code, error: /error/.test(stderr) }).toEqual({ code: 0, error: false });
    expect([...numbers(following.out())].sort()).toEqual([...sent].sort());
    for (const [n, id] of ids.entries()) expect(following.out()).toContain(`${id} | got: n${n}\n`);
  });

  it('with --follow of a running execution of an actor are shown while it runs', async () => {
    const id = await idOf('send', 'sh', '-m', 'hang');
    const following = home.start(['logs', 'sh', '-f']);
    await expect.poll(() => following.out()).toContain(`${id} | started\n`);
    following.interrupt();
    expect((await following.ended).code).toBe(0);
    await home.cli(['executions', 'halt', `sh/${id}`, '-y']);
  });

  it('with --follow of several actors name the actor in each line', async () => {
    await home.cli(['actors', 'create', image, '--name', 'other', '--wait']);
    const following = await follower('sh', 'other', 'sh');
    const one = await idOf('send', 'sh', '-m', 'from one');
    const two = await idOf('send', 'other', '-m', 'from two');
    await expect.poll(() => following.out()).toMatch(/from one[\s\S]*from two|from two[\s\S]*from one/);
    following.interrupt();
    expect((await following.ended).code).toBe(0);
    expect(following.out()).toContain(`sh    ${one} | got: from one\n`);
    expect(following.out()).toContain(`other ${two} | got: from two\n`);
    expect(following.out().match(/from one/g)).toHaveLength(1);
  });

  it('of several targets are shown one after the other', async () => {
    const ids = [await idOf('send', 'sh', '-m', 'a'), await idOf('send', 'sh', '-m', 'b')];
    await home.cli(['executions', 'wait', ...ids]);
    const { code, stdout } = await home.cli(['logs', ...ids]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`${ids[0]} \\| got: a\\n.*${ids[1]} \\| got: b\\n$`));
    expect(await home.cli(['logs', 'sh', ids[0] ?? '', '-f'])).toMatchObject({ code: 2 });
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
    const all = await home.json<{ id: string; status: string; exit_code?: number; message_received_time: string }[]>(
      'executions',
      'list',
      'sh',
      '--all',
    );
    const times = all.map((row) => row.message_received_time);
    expect(times).toEqual([...times].sort().reverse());
    expect((await home.cli(['executions', 'list', '--limit', '2', '-q'])).stdout.trim().split('\n')).toHaveLength(2);
    const failed = await home.json<typeof all>('executions', 'list', '--failed', '--filter', 'exit_code=3');
    expect(failed.length).toBeGreaterThan(0);
    expect(new Set(failed.map(({ exit_code }) => exit_code))).toEqual(new Set([3]));
    expect(await home.json('executions', 'list', '--since', '0s')).toEqual([]);
    expect(await home.json('executions', 'list', 'sh', '--status', 'submitted')).toEqual([]);
  });

  it('show the start and the age of a running one', async () => {
    const id = await idOf('send', 'sh', '-m', 'hang');
    const show = () => home.json('executions', 'show', `sh/${id}`);
    await home.json('executions', 'wait', `sh/${id}`, '--for', 'RUNNING');
    const first = await show();
    expect(first).toMatchObject({ start_time: expect.any(String) });
    let age = 0;
    while (age <= Number(first['runtime_ms'])) age = Number((await show())['runtime_ms']);
    const [listed] = await home.json<Readonly<Record<string, unknown>>[]>('executions', 'list', 'sh', '--limit', '1');
    expect(listed).toMatchObject({ id, start_time: first['start_time'], runtime_ms: expect.any(Number) });
    const [, row] = (await home.cli(['executions', 'list', 'sh', '--limit', '1'])).stdout.split('\n');
    expect(row).toMatch(new RegExp(`^${id}\\tsh\\trunning\\t\\t\\d{4}-[^\\t]+Z\\t\\d+\\t`));
    await home.cli(['executions', 'halt', `sh/${id}`, '-y']);
  });

  it('are watched in a pipe: a line for each new or changed one, until a signal', async () => {
    const watching = home.start(['executions', 'list', 'sh', '--watch', '--limit', '3']);
    const json = home.start(['executions', 'list', 'sh', '--watch', '--limit', '3', '--json']);
    await expect.poll(() => watching.out() !== '' && json.out() !== '').toBe(true);
    const id = await idOf('send', 'sh', '-m', 'x');
    await expect.poll(() => watching.out()).toMatch(new RegExp(`^${id}\\tsh\\tcomplete`, 'm'));
    await expect.poll(() => json.out()).toContain(`"${id}"`);
    for (const each of [watching, json]) each.interrupt();
    expect([(await watching.ended).code, (await json.ended).code]).toEqual([0, 0]);
    const lines = watching.out().trimEnd().split('\n');
    expect(lines.filter((line) => line.startsWith('EXECUTION'))).toHaveLength(1);
    expect(new Set(lines).size).toBe(lines.length);
    for (const line of json.out().trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('status');
  });

  it('are not watched with --fields help or an unknown field', async () => {
    const watch = ['executions', 'list', 'sh', '--watch', '--fields'];
    expect(await home.cli([...watch, 'help'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^id\n[\s\S]+$/),
    });
    expect(await home.cli([...watch, 'nope'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('are halted only after a confirmation, and only while they run', async () => {
    const id = await idOf('send', 'sh', '-m', 'hang');
    const asked = await home.cli(['executions', 'halt', `sh/${id}`]);
    expect({ ...asked, stderr: /--yes/.test(asked.stderr) }).toEqual({ code: 3, stdout: '', stderr: true });
    await home.json('executions', 'wait', `sh/${id}`, '--for', 'RUNNING');
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
      stdout: `${short}  complete\n`,
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
