// A daemon with data as of a busy hour: actors of every kind, finished, failed and waiting executions, and permissions.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { ExecutionRecord } from '../../daemon/domain/records/actor-records.ts';
import type { Store } from '../../daemon/ports/store.ts';
import type { Home } from '../support/daemon/home.ts';
import { executionRecord } from '../support/service/records.ts';
import { prepareData } from '../support/store/prepared-data.ts';

/** What the actors do with their message. */
const program = `case "$MSG" in
wait) echo "waiting for the upload"; sleep 900 ;;
broken) echo "reading input"; echo "KeyError: 'station_id' in row 4711" >&2; exit 1 ;;
*)
  printf '\\033[1mweekly report\\033[0m for %s\\n' "2026-W47"
  printf '\\033[32m✓\\033[0m read 14 stations from ingest\\n'
  for station in Aare Birs Doubs Emme Inn Limmat Linth Orbe Reuss Rhein Rhone Saane Thur Ticino; do
    printf '  \\033[36m%-8s\\033[0m %4d readings\\n' "$station" 672
  done
  printf '\\033[33m!\\033[0m Orbe: 3 readings out of range, replaced\\n' >&2
  printf '\\033[32m✓\\033[0m wrote report.html, 48 kB\\n' ;;
esac
`;

interface Made {
  /** Id by name. */
  readonly actors: ReadonlyMap<string, string>;
  /** An execution with a log, a cause and an effect. */
  readonly execution: string;
  /** Secret of the client `web-app`. */
  readonly secret: string;
  /** Id of the client `phone`. */
  readonly phone: string;
  close(): void;
}

const names = [
  'ingest',
  'weekly-report',
  'resize-images',
  'notify',
  'forecast',
  'geocode',
  'nightly-cleanup',
  'archive',
];

/** Thirteen letters and digits, the same in each run. */
const idOf = (number: number): string =>
  createHash('sha256')
    .update(`execution ${number}`)
    .digest('base64')
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 13);

/** Between 0 and 1, the same in each run. */
const noise = (number: number): number => Math.abs((Math.sin(number * 12.9898) * 43_758.5453) % 1);

const ends: readonly Partial<ExecutionRecord>[] = [
  { exitCode: 1, reason: 'exited' },
  { exitCode: 137, reason: 'timed_out' },
  { exitCode: 137, reason: 'out_of_memory' },
];

/** Executions of the last hour, more of them at some times than at others. */
const writeHour = async (store: Store, actors: readonly string[], now: number): Promise<void> => {
  let number = 0;
  for (let minute = 59; minute >= 1; minute -= 1) {
    const count = Math.round(9 + 6 * Math.sin(minute / 7) + 5 * noise(minute));
    await store.transact((tx) => {
      for (let each = 0; each < count; each += 1) {
        number += 1;
        const receivedAt = now - minute * 60_000 + Math.round((each / count) * 59_000);
        const startedAt = receivedAt + 15 + Math.round(noise(number) * 200);
        const failed = number % 19 === 7;
        const record = executionRecord(idOf(number), {
          actorId: actors[Math.floor(noise(number + 500) * actors.length)] ?? '',
          sequence: tx.nextSequence(),
          executor: 'dev',
          status: 'COMPLETE',
          exitCode: 0,
          reason: 'exited',
          receivedAt,
          startedAt,
          finishedAt: startedAt + 300 + Math.round(noise(number + 900) * 4_000),
          ...(failed && ends[number % ends.length]),
        });
        tx.put('executions', record);
      }
    });
  }
};

/** Receives the webhooks, and refuses some. */
const receive = async (): Promise<Server> => {
  let received = 0;
  const server = createServer((request, response) => {
    received += 1;
    request.resume();
    response.writeHead(received % 4 === 3 ? 503 : 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

/** Fills a home and starts its daemon. */
export const makeData = async (home: Home): Promise<Made & { readonly baseUrl: string }> => {
  const folder = path.join(home.folder, 'water');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'main.sh'), program);
  writeFileSync(path.join(folder, 'actor.json'), JSON.stringify({ command: ['sh', 'main.sh'] }));
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await home.cli(args);
    if (code !== 0) throw new Error(`actorctl ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  await home.up();
  const actors = new Map<string, string>();
  for (const name of names) {
    const kind = name === 'forecast' ? ['--stateful'] : ['--workers', '2'];
    const { id } = await home.json<{ id: string }>(
      ...['actors', 'create', `file://${folder}`, '--name', name, '--wait', ...kind],
    );
    actors.set(name, id);
  }
  await run('down');
  await prepareData(home.folder, (store) => writeHour(store, [...actors.values()], Date.now()));
  const { baseUrl } = await home.up();

  const receiver = await receive();
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks/water`;
  await run(
    ...['actors', 'update', 'weekly-report', '-e', 'REGION=alps', '-e', 'FORMAT=html'],
    ...['--description', 'Writes the report of the water levels of the week, and tells the duty officer.'],
  );
  await run('links', 'set', 'weekly-report', 'notify');
  await run('links', 'set', 'ingest', 'weekly-report');
  await run('aliases', 'create', 'report', 'weekly-report');
  await run('cron', 'set', 'weekly-report', '0 6 * * 1');
  await run('webhooks', 'set', 'weekly-report', hook);
  await run('permissions', 'grant', 'weekly-report', 'ana', 'UPDATE');
  await run('permissions', 'grant', 'weekly-report', 'bob', 'READ');
  await run('nonces', 'create', 'weekly-report', '--max-uses', '20');
  await run('nonces', 'create', 'weekly-report', '--max-uses', '1');
  for (const [index, level] of ['READ', 'EXECUTE', 'UPDATE'].entries()) {
    await run('nonces', 'create', names[index + 2] ?? '', '--level', level, '--max-uses', String(10 ** index));
  }
  const { client_secret: secret } = await home.json<{ client_secret: string }>(
    ...[
      'clients',
      'create',
      'web-app',
      '--redirect-uri',
      `${baseUrl}/`,
      '--description',
      'The page of the duty officer',
    ],
  );
  const { client_id: phone } = await home.json<{ client_id: string }>(
    ...['clients', 'create', 'phone', '--redirect-uri', 'http://127.0.0.1:3000/done', '--public'],
  );
  await run('clients', 'create', 'nightly', '--grant', 'client_credentials', '--description', 'Runs at night');
  await run('configs', 'create', 'stations', '--value', '{"river": "Aare", "count": 14}', '--share', 'ingest');
  await run('configs', 'create', 'mail', '--value', 'a password', '--secret', '--share', 'notify');
  for (const level of [2.41, 2.44, 2.52]) {
    const state = { station: 'Aare', level, hours: [level, level + 0.03, level + 0.08] };
    await run('state', 'set', 'forecast', '--value', JSON.stringify(state));
  }
  for (const name of ['geocode', 'archive', 'resize-images']) await home.cli(['run', name, '-m', 'broken']);
  await home.cli(['run', 'weekly-report', '-m', 'broken']);
  await run('run', 'ingest', '-m', '{"stations": 14, "week": "2026-W47"}');
  const { stdout } = await home.cli(['run', 'weekly-report', '-m', 'all stations', '--json']);
  const { execution_id: execution } = JSON.parse(stdout) as { execution_id: string };
  for (const [from, to] of [
    ['geocode', 'archive'],
    ['resize-images', 'archive'],
    ['forecast', 'notify'],
    ['nightly-cleanup', 'archive'],
  ] as const) {
    await run('links', 'set', from, to);
  }
  await run('webhooks', 'set', 'archive', `${hook.replace('water', 'archive')}`);
  for (const name of ['geocode', 'geocode', 'geocode', 'forecast'])
    await run('events', 'emit', 'READING', '--actor', name);
  await run('send', 'resize-images', '-m', 'wait', '--repeat', '6');
  await run('send', 'geocode', '-m', 'wait');
  return { actors, execution, secret, phone, baseUrl, close: () => receiver.close() };
};
