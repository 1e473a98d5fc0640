// The module agavepy.actors, unmodified, inside a container of a legacy actor.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BuiltDaemon, builtDaemon, logsOf, reaches, register, send } from '../../support/daemon/daemon.ts';
import { ADMIN } from '../../support/daemon/home.ts';
import { dockerRequirement, type TestImages, testImages } from '../../support/engine/docker.ts';
import { agavepyFiles, agavepyRequirement, PYTHON } from '../../support/python/agavepy.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const LONG = { timeout: 180_000 };

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

const docker = await dockerRequirement();
const agavepy = agavepyRequirement();

describeIf(docker.available ? agavepy : docker, 'agavepy.actors in a container', () => {
  let daemon: BuiltDaemon;
  let images: TestImages;
  let image: string;
  beforeAll(async () => {
    images = testImages();
    image = await images.holding(
      agavepyFiles,
      ['/usr/bin/python3', '-B', '-c', ACTOR],
      'ENV PYTHONPATH=/agavepy:/stand-ins',
    );
    daemon = builtDaemon();
    await daemon.start();
    await daemon.admit();
  }, 120_000);
  afterAll(async () => {
    await daemon.remove();
    await images.remove();
  }, 120_000);

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

  it('finds the context and a JSON message, and sends results', LONG, async () => {
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

  it('reads a binary message', LONG, async () => {
    const actor = await register(daemon, { image, dialect: 'legacy' });
    const body = Buffer.from(Array.from({ length: 20_000 }, (_, at) => at % 256));
    const headers = { 'content-type': 'application/octet-stream' };
    const [context, binary] = await resultsOf(actor, await send(daemon, actor, { body, headers }));
    expect(JSON.parse(String(context))).toMatchObject({ raw_message: null, content_type: 'application/octet-stream' });
    expect(binary?.equals(body)).toBe(true);
  });
});
