// `events`, `links` and `why` with the built programs.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedHome, sharedHome } from '../../support/commands/shared-home.ts';
import { until } from '../../support/daemon/daemon.ts';
import { interrupt } from '../../support/daemon/interrupt.ts';

let home: SharedHome;
const ids: Record<string, string> = {};

const actorOf = (name: string, script: string): string => {
  const folder = join(home.folder, `actor-${name}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'actor.json'), JSON.stringify({ command: ['sh', '-c', script] }));
  return `file://${folder}`;
};

beforeAll(async () => {
  home = await sharedHome();
  const good = actorOf('good', 'true');
  const bad = actorOf('bad', 'exit 3');
  for (const name of ['clean', 'report', 'publish', 'bad', 'quiet']) {
    const image = name === 'bad' ? bad : good;
    const made = await home.json<{ id: string }>('actors', 'create', image, '--name', name, '--wait');
    ids[name] = made.id;
  }
});

afterAll(() => home.remove());

const emit = (actor: string, type = 'TICK', data = '{}') =>
  home.json<{ id: string }>('events', 'emit', type, '--actor', actor, '--data', data);

const lines = (text: string): readonly Record<string, unknown>[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));

describe('events', () => {
  it('tail prints events as lines or as JSON with the cursor, and exits with 0 at Ctrl-C', async () => {
    const cursor = join(home.folder, 'c0');
    const watching = home.start(['events', 'tail', '--actor', 'quiet', '--json', '--cursor-file', cursor]);
    await until(() => {
      try {
        return /^\w+\.\d+\n$/.test(readFileSync(cursor, 'utf8'));
      } catch {
        return false;
      }
    });
    const { id } = await emit('quiet', 'TICK', '{"exit_code":3,"status_message":"hello"}');
    await until(() => readFileSync(cursor, 'utf8').endsWith(`.${id}\n`));
    watching.interrupt();
    expect((await watching.ended).code).toBe(0);
    expect(lines(watching.out())).toEqual([
      expect.objectContaining({
        cursor: readFileSync(cursor, 'utf8').trim(),
        id,
        actor_id: ids['quiet'],
        event_type: 'TICK',
        exit_code: 3,
        synthetic: true,
      }),
    ]);
    expect(watching.err()).toBe('');
    const text = await home.cli([
      'events',
      'tail',
      '--no-follow',
      '--since',
      String(Number(id) - 1),
      '--actor',
      'quiet',
    ]);
    expect(text.stdout).toMatch(new RegExp(`^${id}\\t\\S+Z\\tTICK\\tquiet\\t\\texit 3 {2}hello {2}synthetic\\n$`));
    const interrupted = await interrupt(home, ['events', 'tail', '--since', '1h'], /ACTOR_READY/);
    expect(interrupted).toMatchObject({ code: 0 });
  });

  it('tail ends at an event of a type, at an event that matches an expression, or after a number of events', async () => {
    const first = Number((await emit('quiet', 'ONE')).id) - 1;
    await emit('quiet', 'TWO', '{"exit_code":7}');
    await emit('quiet', 'THREE');
    const from = ['events', 'tail', '--actor', 'quiet', '--since', String(first), '--template', '{{event_type}}'];
    expect(await home.cli([...from, '--exit-on', 'TWO'])).toMatchObject({ code: 0, stdout: 'ONE\nTWO\n' });
    expect(await home.cli([...from, '--exit-on', '.exit_code == 7'])).toMatchObject({ code: 0, stdout: 'ONE\nTWO\n' });
    expect(await home.cli([...from, '--max', '1'])).toMatchObject({ code: 0, stdout: 'ONE\n' });
    expect(await home.cli([...from, '--filter', 'event_type!=TWO', '--max', '2'])).toMatchObject({
      stdout: 'ONE\nTHREE\n',
    });
    expect(await home.cli([...from, '--type', 'two,three', '--max', '2'])).toMatchObject({ stdout: 'TWO\nTHREE\n' });
  });

  it('tail exits with 8 after --timeout without the event, and with 0 at --until', async () => {
    const waited = await home.cli(['events', 'tail', '--exit-on', 'NEVER', '--timeout', '300ms']);
    expect(waited).toMatchObject({ code: 8, stderr: expect.stringContaining('none matched NEVER') });
    const soon = new Date(Date.now() + 1_500).toISOString();
    const bounded = home.start(['events', 'tail', '--actor', 'quiet', '--until', soon, '-o', 'id', '--since', '1h']);
    expect((await bounded.ended).code).toBe(0);
    const all = await home.cli(['events', 'list', '--actor', 'quiet', '--reverse', '--all', '-o', 'id']);
    expect(bounded.out()).toBe(all.stdout);
  });

  it.each<[string[], number, string]>([
    [['events', 'tail', '--actor', 'nobody'], 6, 'no actor "nobody"'],
    [['events', 'tail', '--actor', 'Zzzzzzzzzzzz9'], 6, ''],
    [['events', 'tail', '--since', '999999999'], 2, 'beyond the latest event'],
    [['events', 'tail', '--since', 'yesterday'], 2, 'not a time'],
    [['events', 'tail', '--filter', 'nothing=1'], 2, '--filter'],
    [['events', 'tail', '--exit-on', '.a =='], 2, ''],
    [['events', 'tail', '--max', '0'], 2, '--max'],
    [['events', 'list', '--actor', 'nobody'], 6, 'no actor "nobody"'],
    [['events', 'list', '--type', 'x-y'], 2, 'type'],
    [['events', 'show', '999999999'], 6, 'there is no event "999999999"'],
    [['events', 'emit', 'lower', '--actor', 'quiet'], 2, 'event_type'],
    [['events', 'emit', 'TICK'], 2, '--actor'],
    [['events', 'emit', 'TICK', '--actor', 'quiet', '--data', '[1]'], 2, '--data'],
    [['events', 'redeliver', '1'], 2, '--to'],
    [['events', 'redeliver', '999999999', '--to', 'link'], 6, ''],
    [['why', 'Zzzzzzzzzzzz9'], 6, 'no execution'],
  ])('%j exits with %i', async (args, code, words) => {
    const ended = await home.cli(args);
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(words) });
  });

  it('list shows the newest first, or the oldest first with --reverse, and filters', async () => {
    const { id } = await emit('quiet', 'LAST_ONE');
    const newest = await home.cli(['events', 'list', '--limit', '1', '-o', 'id']);
    expect(newest.stdout).toBe(`${id}\n`);
    const all = (await home.cli(['events', 'list', '--all', '-o', 'id'])).stdout.trim().split('\n').map(Number);
    expect(all).toEqual(all.toSorted((a, b) => b - a));
    const ready = await home.json<{ event_type: string }[]>('events', 'list', '--type', 'ACTOR_READY', '--reverse');
    expect(ready.map(({ event_type }) => event_type)).toEqual(Array(5).fill('ACTOR_READY'));
    expect(await home.json('events', 'show', '@last')).toMatchObject({ id, event_type: 'LAST_ONE' });
    expect(await home.json('events', 'types')).toHaveLength(3);
  });

  it('emit sends an event along the link, and redeliver sends it again', async () => {
    await home.json('links', 'set', 'quiet', 'publish');
    const emitted = await home.cli(['events', 'emit', 'TICK', '--actor', 'quiet']);
    expect(emitted.stdout).toMatch(/^Emitted \d+ \(link as execution \w+, no webhook\)\n$/);
    const id = /\d+/.exec(emitted.stdout)?.[0] ?? '';
    const again = await home.json('events', 'redeliver', id, '--to', 'link');
    expect(again).toMatchObject({ event: id, to: 'link', actor_id: ids['publish'], execution_id: expect.any(String) });
    expect(await home.cli(['events', 'redeliver', id, '--to', 'webhook'])).toMatchObject({ code: 7 });
    expect((await home.cli(['links', 'unset', 'quiet'])).stdout).toBe('quiet: link removed\n');
    expect((await home.cli(['links', 'unset', 'quiet'])).stdout).toBe('quiet: there was no link\n');
  });
});

describe('links', () => {
  it('set by an alias leads to the actor of the alias, and a loop is refused and spelled out', async () => {
    await home.cli(['aliases', 'create', 'rep', 'report']);
    expect(await home.cli(['links', 'set', 'clean', 'rep'])).toMatchObject({
      code: 0,
      stdout: 'clean -> report (through alias rep)\n',
    });
    expect(await home.cli(['links', 'set', 'report', 'publish'])).toMatchObject({ stdout: 'report -> publish\n' });
    const loop = await home.cli(['links', 'set', 'publish', 'clean']);
    expect(loop).toMatchObject({ code: 7, stderr: expect.stringContaining('publish -> clean -> report -> publish') });
    expect(loop.stderr).toContain(`try: actorctl links graph ${ids['publish']}`);
    expect(await home.cli(['links', 'set', 'clean', 'clean'])).toMatchObject({ code: 7 });
    expect(await home.cli(['links', 'set', 'clean', 'nobody'])).toMatchObject({ code: 6 });
    expect(await home.json('links', 'show', 'report')).toMatchObject({ out: ids['publish'], in: [ids['clean']] });
    expect((await home.cli(['links', 'show', 'report'])).stdout).toContain('sends to\tpublish');
    expect((await home.cli(['links', 'list'])).stdout).toMatch(/^clean\treport\trep\t\nreport\tpublish\t\t$/m);
  });

  it('check reports whether a link is allowed, and changes nothing', async () => {
    expect(await home.cli(['links', 'check', 'publish', 'clean'])).toMatchObject({
      code: 7,
      stdout: 'no: cycle publish -> clean -> report -> publish\n',
    });
    expect(await home.cli(['links', 'set', 'publish', 'bad', '--check-only'])).toMatchObject({
      code: 0,
      stdout: 'yes: publish -> bad\n',
    });
    expect(await home.json('links', 'show', 'publish')).toMatchObject({ link: null, out: null });
  });

  it('graph prints the links as text, Graphviz, Mermaid and JSON', async () => {
    expect(await home.cli(['links', 'graph', 'report'])).toMatchObject({ stdout: 'clean\n└─ report\n   └─ publish\n' });
    expect((await home.cli(['links', 'graph', '--format', 'dot'])).stdout).toMatch(/^digraph actors \{/);
    expect((await home.cli(['links', 'graph', '--format', 'mermaid'])).stdout).toMatch(/^graph LR/);
    const graph = await home.json<{ edges: unknown[] }>('links', 'graph', 'clean');
    expect(graph.edges).toEqual([
      { from: ids['clean'], to: ids['report'], kind: 'link' },
      { from: ids['report'], to: ids['publish'], kind: 'link' },
    ]);
    expect(await home.cli(['links', 'graph', '--format', 'dot', '--json'])).toMatchObject({ code: 2 });
  });
});

describe('why', () => {
  it('shows the chain from the message to the last execution, starting from any of them', async () => {
    await home.json('links', 'set', 'clean', 'report');
    await home.json('links', 'set', 'report', 'publish');
    const seen = (): Promise<readonly Record<string, unknown>[]> =>
      home.json('events', 'list', '--actor', 'publish', '--type', 'EXECUTION_COMPLETE');
    const before = (await seen()).length;
    const first = (await home.cli(['send', 'clean', '-m', 'go', '-q'])).stdout.trim();
    await until(async () => (await seen()).length > before);
    const { stdout } = await home.cli(['why', 'publish@last']);
    expect(
      stdout.split('\n').map((line) => line.replace(/\b\w{13}\b|(?<=event )\d+ |(?<=dev )at \S+/g, '_').trim()),
    ).toEqual([
      expect.stringMatching(/^message from dev _/),
      '└─ execution _ of clean  complete',
      '└─ event _ EXECUTION_COMPLETE of clean',
      '└─ by link: execution _ of report  complete',
      '└─ event _ EXECUTION_COMPLETE of report',
      '└─ by link: execution _ of publish  complete   <- this one',
      '└─ event _ EXECUTION_COMPLETE of publish',
      '',
    ]);
    expect(await home.json('why', first)).toMatchObject({
      kind: 'message',
      from: 'dev',
      led_to: [{ kind: 'execution', id: first, asked: true, led_to: [{ kind: 'event', led_to: [{ by: 'link' }] }] }],
    });
  });

  it('follows a webhook to another actor, and a message that an execution sent with its token', async () => {
    const { id: nonce, _links } = await home.json<{ id: string; _links: { actor: string } }>(
      'nonces',
      'create',
      'quiet',
    );
    const posts = `fetch(process.env._svc_api_server + '/actors/v2/${ids['bad']}/messages', { method: 'POST', body: 'on',
      headers: { authorization: 'Bearer ' + process.env._svc_access_token, 'content-type': 'text/plain' } })`;
    writeFileSync(join(home.folder, 'posts.mjs'), posts);
    const send = `exec '${process.execPath}' '${join(home.folder, 'posts.mjs')}'`;
    await home.json('actors', 'create', actorOf('caller', send), '--name', 'caller', '--token', '--wait');
    await home.json('webhooks', 'set', 'caller', `${_links.actor}/messages?x-nonce=${nonce}`);
    const first = (await home.cli(['send', 'caller', '-m', 'go', '-q'])).stdout.trim();
    const text = async () => (await home.cli(['why', first])).stdout;
    await until(async () => /of quiet {2}complete/.test(await text()) && /of bad {2}failed/.test(await text()));
    const output = await text();
    expect(output).toMatch(/webhook: delivery \w{13}, POST .* -> delivered 200/);
    expect(output).not.toContain(nonce);
    const last = await home.cli(['why', 'quiet@last']);
    expect(last.stdout).toMatch(/^message from dev /);
    expect(last.stdout).toContain('of caller  complete');
    expect(last.stdout).toMatch(/of quiet {2}complete.*<- this one/);
    expect((await home.cli(['why', 'bad@last'])).stdout).toContain('of caller  complete');
  });
});
