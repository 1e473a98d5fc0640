// `search`, `executions list` and `stats`, `utilization` and `admin` of the built program against the built daemon.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { shellActor } from '../../support/daemon/shell-actor.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

let home: SharedHome;
let actorId: string;
let good: string;
let bad: string;

const idOf = ({ stdout }: { readonly stdout: string }): string => stdout.trim();

beforeAll(async () => {
  home = await sharedHome();
  const image = shellActor(home.folder);
  actorId = idOf(await home.cli(['actors', 'create', image, '--name', 'sh', '--wait', '-q']));
  await home.cli(['actors', 'create', image, '--name', 'idle', '--wait', '-q']);
  good = String((await home.json('run', 'sh', '-m', 'hello there'))['execution_id']);
  bad = String(
    (JSON.parse((await home.cli(['run', 'sh', '-m', 'fail', '--json'])).stdout) as Rows[0])?.['execution_id'],
  );
});

afterAll(() => home.remove());

describe('search', () => {
  it('finds rows by conditions, and prints them as the service returns them', async () => {
    expect(await home.json<Rows>('search', 'executions', '--where', 'exit_code.gt=0')).toMatchObject([
      { id: bad, actor_id: actorId, exit_code: 3 },
    ]);
    expect(await home.json<Rows>('search', 'actor', '--where', 'name.like=^s')).toMatchObject([
      { id: actorId, mem_limit: null },
    ]);
  });

  it('finds logs by text, and prints the matching lines for people', async () => {
    const { stdout } = await home.cli(['search', 'logs', 'nowhere THERE']);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^EXECUTION\s+ACTOR\s+LINE$/),
      `${good}\tsh\tgot: hello there`,
      '',
    ]);
    expect(await home.json<Rows>('search', 'logs', 'there hello', '--exact')).toEqual([]);
    expect(await home.json<Rows>('search', 'logs', 'hello there', '--exact')).toMatchObject([{ execution_id: good }]);
  });

  it('supports pages', async () => {
    const all = await home.json<Rows>('search', 'executions', '--all');
    expect(all.map(({ id }) => id)).toEqual([good, bad]);
    expect(await home.json<Rows>('search', 'executions', '--limit', '1', '--offset', '1')).toMatchObject([{ id: bad }]);
  });

  it.each([
    [['search', 'nothing']],
    [['search', 'logs', '--exact']],
    [['search', 'actors', '--where', 'name']],
    [['search', 'actors', '--where', 'name.like=(?=x)']],
    [['search', 'executions', '--where', 'startTime.gt=soon']],
  ])('%j is a usage error', async (args) => {
    const { code, stdout, stderr } = await home.cli(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: /);
  });
});

describe('executions', () => {
  it('are listed newest first, and filtered by the service', async () => {
    const idsOf = async (...args: string[]) =>
      (await home.json<Rows>('executions', 'list', ...args)).map(({ id }) => id);
    expect(await idsOf()).toEqual([bad, good]);
    expect(await idsOf('--limit', '1')).toEqual([bad]);
    expect(await idsOf('--limit', '1', '--offset', '1')).toEqual([good]);
    expect(await idsOf('sh', '--status', 'complete')).toEqual([bad, good]);
    const typo = await home.cli(['executions', 'list', '--status', 'complet']);
    expect(typo).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('did you mean COMPLETE?') });
    expect(await idsOf('sh', '--failed')).toEqual([bad]);
    expect(await idsOf('idle')).toEqual([]);
    expect(await idsOf('--since', '2999-01-01T00:00:00Z')).toEqual([]);
    expect(await idsOf('--sort', 'exit_code')).toEqual([good, bad]);
  });

  it('are searched by text, outcome, time and actor, and printed with the line that matches', async () => {
    const search = async (...args: string[]) => (await home.cli(['executions', 'search', ...args])).stdout;
    expect(await search('HELLO there', '--in', 'log')).toMatch(
      new RegExp(`^${good}\tsh\tcomplete\t[^\t]+Z\tlog:1\tgot: hello there\n$`),
    );
    expect(await search('hello')).toMatch(/\tmessage:1\thello there\n$/);
    expect(await search('--sort', 'oldest', '-o', 'id')).toBe(`${good}\n${bad}\n`);
    expect(await search('--limit', '1', '-q')).toBe(`${bad}\n`);
    expect(await search('--outcome', 'failed', '--actor', 'sh', '--since', '1h', '-o', 'id')).toBe(`${bad}\n`);
    const [row = ''] = (await search(good, '--json')).trim().split('\n');
    expect(JSON.parse(row)).toMatchObject({ id: good, actor_name: 'sh', match: { in: 'id', start: 0 } });
    const none = await home.cli(['executions', 'search', 'nowhere', '--until', '2001-01-01']);
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'no execution matches\n' });
    const typo = await home.cli(['executions', 'search', '--outcome', 'fail']);
    expect(typo).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('did you mean failed?') });
    expect(await home.cli(['executions', 'search', '--actor', 'nosuch'])).toMatchObject({ code: 6 });
  });

  it('are found by their id without naming the actor', async () => {
    expect(await home.json('executions', 'show', good)).toMatchObject({
      id: good,
      actor_id: actorId,
      api_server: expect.any(String),
    });
    expect(await home.json('executions', 'show', '@last')).toMatchObject({ id: bad });
    expect(await home.json('executions', 'show', 'sh@last:failed')).toMatchObject({ id: bad });
    expect(await home.cli(['executions', 'show', 'Aaaaaaaaaaaaa'])).toMatchObject({ code: 6 });
  });

  it('have statistics', async () => {
    expect(await home.json('executions', 'stats')).toMatchObject({
      executions: 2,
      finished: 2,
      failed: 1,
      fail_rate: 0.5,
    });
    expect(await home.json<Rows>('executions', 'stats', 'sh', '--by', 'actor')).toMatchObject([
      { group: actorId, executions: 2 },
    ]);
  });
});

describe('statistics', () => {
  it('in a pipe name the unit of their times in the header', async () => {
    const header = 'GROUP\tEXECUTIONS\tFINISHED\tFAILED\tFAIL RATE\tRUN TIME P50 MS\tRUN TIME P95 MS';
    expect((await home.cli(['executions', 'stats', '--by', 'status'])).stdout.split('\n')[0]).toBe(header);
    expect((await home.cli(['executions', 'stats'])).stdout).toMatch(/^fail rate\t50\.0%\nrun time p50 ms\t\d+$/m);
  });

  it('of the tenant are printed by utilization and admin', async () => {
    expect(await home.json('utilization')).toMatchObject({ current_actors: 2, total_actors: 2 });
    const runs = await home.json<Rows>('executions', 'list', '--all');
    const total = runs.reduce((sum, { runtime_ms }) => sum + Number(runtime_ms), 0);
    expect(total).toBeGreaterThan(0);
    expect(await home.json<Rows>('admin', 'actors')).toMatchObject([
      { id: actorId, owner: 'dev', executions: 2, runtime_ms: total },
      { name: 'idle', executions: 0 },
    ]);
    const workers = await home.json<Rows>('admin', 'workers');
    expect(workers).toContainEqual(
      expect.objectContaining({ actor_id: actorId, actor_dbid: `${home.tenant}_${actorId}` }),
    );
    expect(await home.json<Rows>('admin', 'executions')).toMatchObject([
      { actor_id: actorId, total_executions: 2 },
      {},
    ]);
    expect(await home.json('admin', 'executions', '--total')).toMatchObject({ total_executions_all: 2 });
  });
});
