// The module agavepy.actors, unmodified, inside a container of a legacy actor.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BuiltDaemon, builtDaemon, logsOf, reaches, register, send } from '../../support/daemon/daemon.ts';
import { ADMIN } from '../../support/daemon/home.ts';
import { dockerRequirement, type TestImages, testImages } from '../../support/engine/docker.ts';
import { agavepyFiles, agavepyRequirement, PYTHON } from '../../support/python/agavepy.ts';
import { describeIf, type Requirement, requirement } from '../../support/runner/requirements.ts';

/** Sends what it finds as results: the context, the binary message, and an object of Python. */
const ACTOR = `
import json
from agavepy import actors
context = actors.get_context()
binary = context['content_type'] == 'application/octet-stream'
found = {name: context[name] for name in context if not name.isupper()}
actors.send_bytes_result(json.dumps({**found, 'dict': dict(context.message_dict)}).encode())
actors.send_bytes_result(actors.get_binary_message() if binary else b'no bytes')
actors.send_python_result({'answer': (1, 2.5, {'three'})})
`;

/** Reads its own actor and state with the client, and changes the state. */
const CLIENT = `
import json
from agavepy import actors
client = actors.get_client()
actor_id = actors.get_context().actor_id
actor = client.actors.get(actorId=actor_id)
state = client.actors.getState(actorId=actor_id)['state']
actors.update_state({'count': state['count'] + 1, 'ok': True})
actors.send_bytes_result(json.dumps([actor['id'], [each['id'] for each in client.actors.list()], state]).encode())
`;

const docker = await dockerRequirement();
const agavepy = agavepyRequirement();

/** The client sends its token to an address without a port only. */
const mayListen = (): Requirement => {
  const from = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  const able = process.getuid?.() === 0 || from <= 443;
  return requirement('agavepy', able, 'this user may not listen on port 443; see net.ipv4.ip_unprivileged_port_start');
};

describeIf(
  [docker, agavepy, mayListen()].find(({ available }) => !available) ?? docker,
  'agavepy.actors in a container',
  () => {
    let daemon: BuiltDaemon;
    let images: TestImages;
    let image: string;
    const holding = (program: string) =>
      images.holding(
        agavepyFiles,
        ['/usr/bin/python3', '-B', '-W', 'ignore', '-c', program],
        'ENV PYTHONPATH=/agavepy:/stand-ins',
      );
    beforeAll(async () => {
      images = testImages();
      image = await holding(ACTOR);
      daemon = builtDaemon();
      await daemon.start('--legacy', '--legacy-port', 'auto');
      await daemon.admit();
    });
    afterAll(async () => {
      await daemon.remove();
      await images.remove();
    });

    const resultsOf = async (actor: string, execution: string): Promise<Buffer[]> => {
      expect(await reaches(daemon, actor, execution), await logsOf(daemon, actor, execution)).toMatchObject({
        status: 'COMPLETE',
        exitCode: 0,
      });
      const path = `/actors/v2/${actor}/executions/${execution}/results`;
      return [
        (await daemon.ask('GET', path)).bytes,
        (await daemon.ask('GET', path)).bytes,
        (await daemon.ask('GET', path)).bytes,
      ];
    };

    it('finds the context and a JSON message, and sends results', async () => {
      const actor = await register(daemon, {
        image,
        name: 'platform',
        dialect: 'legacy',
        stateless: false,
        state: { n: 1 },
      });
      const json = { key: "it's", ok: true, none: null, list: [1.5, 'é'] };
      const execution = await send(daemon, actor, { json, headers: { 'content-type': 'application/json' } });
      const [context, binary, object] = await resultsOf(actor, execution);
      expect(JSON.parse(String(context))).toMatchObject({
        ...{ raw_message: `{'key': "it's", 'ok': True, 'none': None, 'list': [1.5, 'é']}`, raw_message_parse_log: [] },
        ...{
          dict: json,
          content_type: 'application/json',
          username: ADMIN.username,
          actor_id: actor,
          execution_id: execution,
        },
        ...{
          actor_name: 'platform',
          actor_repo: image,
          state: "{'n': 1}",
          actor_dbid: expect.stringMatching(`_${actor}$`),
        },
        worker_id: expect.stringMatching(/^\w{13}$/),
      });
      expect(String(binary)).toBe('no bytes');
      const load = 'import pickle, sys; print(pickle.load(sys.stdin.buffer))';
      expect(execFileSync(PYTHON, ['-c', load], { input: object, encoding: 'utf8' })).toBe(
        "{'answer': (1, 2.5, {'three'})}\n",
      );
    });

    it('has a client that reads the actor and changes its state', async () => {
      const actor = await register(daemon, {
        ...{ image: await holding(CLIENT), dialect: 'legacy', stateless: false, state: { count: 1 } },
      });
      const [found] = await resultsOf(actor, await send(daemon, actor));
      expect(JSON.parse(String(found))).toEqual([actor, expect.arrayContaining([actor]), { count: 1 }]);
      const { result } = await daemon.ask('GET', `/actors/v2/${actor}/state`);
      expect(result['state']).toEqual({ count: 2, ok: true });
    });

    it('reads a binary message', async () => {
      const actor = await register(daemon, { image, dialect: 'legacy' });
      const body = Buffer.from(Array.from({ length: 20_000 }, (_, at) => at % 256));
      const headers = { 'content-type': 'application/octet-stream' };
      const [context, binary] = await resultsOf(actor, await send(daemon, actor, { body, headers }));
      expect(JSON.parse(String(context))).toMatchObject({
        raw_message: null,
        content_type: 'application/octet-stream',
      });
      expect(binary?.equals(body)).toBe(true);
    });
  },
);
