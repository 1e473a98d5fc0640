// Results of real containers: sent over the socket and over HTTP, with unchanged bytes, also across restarts of the
// daemon.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BuiltDaemon, builtDaemon, logsOf, reaches, register, send, until } from '../../support/daemon/daemon.ts';
import { oddBytes } from '../../support/engine/datagrams.ts';
import { dockerRequirement, RUN_SCRIPT, type TestImages, testImages } from '../../support/engine/docker.ts';
import { describeIf } from '../../support/runner/requirements.ts';

const SOCKET = '/_svc_results.sock';
/** The path of the execution's own results, in the shell of an actor. */
const OWN = '/actors/v2/$_svc_actor_id/executions/$_svc_execution_id/results';

describeIf(await dockerRequirement(), 'the results of an actor in a container', () => {
  let daemon: BuiltDaemon;
  let images: TestImages;
  // One actor for all tests, because each actor has a worker with a network.
  let actor: string;
  beforeAll(async () => {
    images = testImages();
    daemon = builtDaemon();
    await daemon.start();
    await daemon.admit();
    actor = await register(daemon, { image: await images.sending(RUN_SCRIPT), token: true });
  });
  afterAll(async () => {
    await daemon.remove();
    await images.remove();
  });

  const take = (execution: string, of = actor) => daemon.ask('GET', `/actors/v2/${of}/executions/${execution}/results`);

  it('are sent over the socket with unchanged bytes, and are available as soon as the execution has ended', async () => {
    const script = `send ${SOCKET} one bytes:131072 "$MSG"; send ${SOCKET} last`;
    const execution = await send(daemon, actor, { body: 'hello' }, { SCRIPT: script });
    expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
    for (const expected of [Buffer.from('one'), oddBytes(131_072), Buffer.from('hello'), Buffer.from('last')])
      expect((await take(execution)).bytes.equals(expected)).toBe(true);
    expect((await take(execution)).bytes).toHaveLength(0);
  });

  it('of a legacy actor are sent to the socket path of the hosted platform, next to its binary message', async () => {
    const script =
      'send /_abaco_results.sock "$(cat /_abaco_binary_data)" "$_abaco_actor_id"; cat "$_abaco_binary_data_FILE"';
    const legacy = await register(daemon, { image: await images.sending(script), dialect: 'legacy' });
    const execution = await send(daemon, legacy, {
      body: 'in bytes',
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(await reaches(daemon, legacy, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
    expect(String((await take(execution, legacy)).bytes)).toBe('in bytes');
    expect(String((await take(execution, legacy)).bytes)).toBe(legacy);
    expect(await logsOf(daemon, legacy, execution)).toBe('in bytes');
  });

  it('R152 need two host mounts in the container: the read-only socket and the file', async () => {
    // In one stream, because two have no order.
    const script = `/bin/busybox chmod 600 ${SOCKET} 2>&1; grep _svc_ /proc/mounts | /bin/busybox cut -d ' ' -f 2 | sort; stat -c %F ${SOCKET}`;
    const execution = await send(daemon, actor, { body: 'hello' }, { SCRIPT: script });
    await reaches(daemon, actor, execution);
    const log = await logsOf(daemon, actor, execution);
    expect(log).toMatch(/chmod: .*Read-only/);
    expect(log).toContain('/_svc_result\n/_svc_results.sock\nsocket\n');
  });

  it('are written into a file in one line, and come behind those of the socket', async () => {
    const script = `echo 42 > "$_svc_result_file"; send ${SOCKET} first`;
    const execution = await send(daemon, actor, { body: 'hello' }, { SCRIPT: script });
    expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0 });
    expect((await take(execution)).text).toBe('first');
    expect((await take(execution)).text).toBe('42\n');
    expect((await take(execution)).text).toBe('');
  });

  it('cannot be replaced by renaming or linking, and can be written by any user of the container', async () => {
    const script = `cd /tmp; echo new > new; /bin/busybox mv -f new "$_svc_result_file" 2>&1
      /bin/busybox rm "$_svc_result_file" 2>&1; /bin/busybox ln -sf /etc/passwd "$_svc_result_file" 2>/dev/null
      stat -c "%F %a" "$_svc_result_file"`;
    const execution = await send(daemon, actor, { body: 'hello' }, { SCRIPT: script });
    await reaches(daemon, actor, execution);
    const log = await logsOf(daemon, actor, execution);
    expect(log.match(/resource busy/gi)?.length).toBe(2);
    expect(log).toMatch(/\nregular (empty )?file 666\n$/);
  });

  it('above the limit are refused in the log and in the status message', async () => {
    const script = 'head -c 131073 /dev/zero > "$_svc_result_file"';
    const execution = await send(daemon, actor, { body: 'hello' }, { SCRIPT: script });
    const statusMessage = 'The result in _svc_result_file is not stored: the file has more than 131072 bytes.';
    expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE', exitCode: 0, statusMessage });
    expect(await logsOf(daemon, actor, execution)).toBe(`[${statusMessage}]\n`);
    expect((await take(execution)).text).toBe('');
  });

  it('R154 are sent over HTTP with the token of the execution, and a binary message is returned unchanged', async () => {
    const script = `address="\${_svc_api_server#http://}"; size=$(wc -c < "$_svc_binary_data_FILE")
      printf "POST ${OWN} HTTP/1.0\\r\\nHost: $address\\r\\nAuthorization: Bearer $_svc_access_token\\r\\nContent-Length: $size\\r\\n\\r\\n" > /tmp/head
      { cat /tmp/head "$_svc_binary_data_FILE"; sleep 2; } | nc "\${address%:*}" "\${address##*:}"`;
    const bytes = oddBytes(100_000);
    const headers = { 'content-type': 'application/octet-stream' };
    const execution = await send(daemon, actor, { body: bytes, headers }, { SCRIPT: script });
    await reaches(daemon, actor, execution);
    expect(await logsOf(daemon, actor, execution)).toContain('HTTP/1.1 200');
    expect((await take(execution)).bytes.equals(bytes)).toBe(true);
  });

  it('answer a synchronous message with the first result while the container continues', async () => {
    const script = `send ${SOCKET} "file:$_svc_binary_data_FILE" second; sleep 5`;
    const bytes = oddBytes(1_000);
    const query = new URLSearchParams({ _svc_synchronous: 'true', SCRIPT: script });
    const answer = await daemon.ask('POST', `/actors/v2/${actor}/messages?${query}`, {
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(answer.bytes.equals(bytes)).toBe(true);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-execution-status': 'RUNNING',
    });
    const execution = String(answer.headers['x-execution-id']);
    await reaches(daemon, actor, execution);
    expect((await take(execution)).text).toBe('second');
  });

  it('are sent only over HTTP after the daemon was killed, because the socket of a running container ends with the daemon', async () => {
    const script = `send ${SOCKET} before; echo sent
      while send ${SOCKET} again 2>/dev/null; do sleep 0.2; done; echo refused
      until wget -q -O - --header "Authorization: Bearer $_svc_access_token" --post-data after "$_svc_api_server${OWN}"; do sleep 0.2; done`;
    const execution = await send(daemon, actor, { body: 'hello' }, { SCRIPT: script });
    await until(async () => (await logsOf(daemon, actor, execution)).includes('sent'));
    expect((await take(execution)).text).toBe('before');
    const { port } = new URL(daemon.baseUrl());
    await daemon.kill();
    await daemon.start('--port', port);
    expect(await reaches(daemon, actor, execution)).toMatchObject({ status: 'COMPLETE' });
    const taken: string[] = [];
    for (;;) {
      const { text } = await take(execution);
      if (text === '') break;
      taken.push(text);
    }
    expect(taken.at(-1)).toBe('after');
  });

  it('cause no warning in status if both the socket and HTTP are available', async () => {
    const { engines } = await daemon.manage('daemon.status');
    expect(JSON.stringify(engines)).not.toContain('results');
  });
});
