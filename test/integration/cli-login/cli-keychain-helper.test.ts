// The helper process that calls the keychain: what happens if it cannot start, fails, hangs or is interrupted.
import { describe, expect, it } from 'vitest';
import { createKeychain } from '../../../src/local/credentials/keychain.ts';

const idle = new AbortController().signal;

const keychainOf = (script: string, signal = idle) =>
  createKeychain({ helper: { file: process.execPath, args: ['-e', script] }, env: {}, limitMs: 300, signal });

describe('the helper of the keychain', () => {
  it('that cannot be started is a failure', async () => {
    const keychain = createKeychain({ helper: { file: '/nonexistent/helper', args: [] }, env: {}, signal: idle });
    expect(await keychain.ask({ operation: 'get', account: 'a' })).toMatchObject({ ok: false });
  });

  it('that prints nothing is a failure', async () => {
    expect(await keychainOf('process.exit(3)').ask({ operation: 'get', account: 'a' })).toEqual({
      ok: false,
      reason: 'its helper ended with 3',
    });
  });

  it('that hangs is a failure, and it is killed with SIGKILL', async () => {
    const keychain = keychainOf('process.on("SIGTERM", () => {}); console.log(); for (;;);');
    expect(await keychain.ask({ operation: 'get', account: 'a' })).toEqual({
      ok: false,
      reason: 'it did not respond within 0.3 s',
    });
  });

  it.each(['get', 'set'] as const)(
    'that does not respond is not waited for after an interruption: %s',
    async (operation) => {
      const interruption = new AbortController();
      const keychain = createKeychain({
        helper: { file: process.execPath, args: ['-e', 'setInterval(() => {}, 60000)'] },
        env: {},
        signal: interruption.signal,
      });
      const refused = expect(keychain.ask({ operation, account: 'a' })).rejects.toMatchObject({ code: 'CANCELLED' });
      interruption.abort();
      await refused;
    },
  );

  it('R144 receives secrets by a pipe, never by command line arguments', async () => {
    const spy =
      'let t="";process.stdin.on("data",d=>t+=d).on("end",()=>console.log(JSON.stringify({ok:true,secret:JSON.stringify({argv:process.argv,stdin:t})})))';
    const reply = await keychainOf(spy).ask({ operation: 'set', account: 'a', secret: 'the-secret' });
    const seen = JSON.parse(reply.ok ? (reply.secret ?? '') : '{}') as { argv: string[]; stdin: string };
    expect(seen.argv.join(' ')).not.toContain('the-secret');
    expect(JSON.parse(seen.stdin)).toEqual({
      operation: 'set',
      service: 'actorctl',
      account: 'a',
      secret: 'the-secret',
    });
  });
});
