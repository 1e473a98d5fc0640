// Calls the keychain of the operating system in a helper process, because a keychain call can hang, and only a
// process can be killed.
import { spawn } from 'node:child_process';
import { CliFailure, messageOf } from '../../failure.ts';
import { WRITE_GRACE_MS } from '../lock/with-lock.ts';
import { SMALL_FILE_LIMIT } from '../small-file.ts';
import type { HelperCommand } from './helper-command.ts';

/**
 * The request to the helper, one JSON document on its stdin. Secrets never appear in argv.
 * @see docs/conformance/security.md R144
 */
export interface KeychainRequest {
  readonly operation: 'get' | 'set' | 'delete';
  readonly service: string;
  readonly account: string;
  readonly secret?: string;
}

export type KeychainReply =
  | { readonly ok: true; readonly secret: string | null }
  | { readonly ok: false; readonly reason: string };

export type Keychain = ReturnType<typeof createKeychain>;

export interface KeychainInput {
  readonly helper: HelperCommand;
  /** Environment of the helper. Its variables are needed to find the keychain. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that the keychain has to respond after the helper has started. Then the helper is killed. */
  readonly limitMs?: number;
  /** Aborts a call: a read immediately, a write or deletion after a short grace period. */
  readonly signal: AbortSignal;
}

/**
 * Milliseconds that the helper has to start. The limit is long, because a slow start on a busy machine does not
 * mean a broken keychain.
 */
const START_LIMIT_MS = 30_000;

const SERVICE = 'actorctl';

const replyOf = (text: string): KeychainReply | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('ok' in value)) return undefined;
    if (value.ok === true && 'secret' in value && (typeof value.secret === 'string' || value.secret === null)) {
      return { ok: true, secret: value.secret };
    }
    const reason = 'reason' in value && typeof value.reason === 'string' ? value.reason : 'it gave no reason';
    return { ok: false, reason };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/**
 * A helper that does not respond in time gets SIGKILL: a hanging call ignores SIGTERM.
 * @see docs/cli.md#where-logins-are-stored
 */
export const createKeychain = ({ helper, env, limitMs = 3_000, signal }: KeychainInput) => ({
  /**
   * Returns the secret, null if there is none, or the reason why the keychain cannot be used. Ends within the time
   * limits.
   */
  ask: (request: Omit<KeychainRequest, 'service'>): Promise<KeychainReply> =>
    new Promise((resolve, reject) => {
      const graceMs = request.operation === 'get' ? 0 : WRITE_GRACE_MS;
      if (signal.aborted && graceMs === 0) throw new CliFailure('CANCELLED', 'interrupted');
      const child = spawn(helper.file, helper.args, {
        env: { ...env },
        stdio: ['pipe', 'pipe', 'ignore'],
        windowsHide: true,
      });
      let text = '';
      let done = false;
      const end = (settle: () => void): void => {
        if (done) return;
        done = true;
        clearTimeout(timer);
        signal.removeEventListener('abort', interrupt);
        child.kill('SIGKILL');
        settle();
      };
      const finish = (reply: KeychainReply): void => end(() => resolve(reply));
      const interrupt = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => end(() => reject(new CliFailure('CANCELLED', 'interrupted'))), graceMs);
      };
      signal.addEventListener('abort', interrupt);
      const expect = (what: string, ms: number): NodeJS.Timeout =>
        setTimeout(() => finish({ ok: false, reason: `${what} within ${ms / 1000} s` }), ms);
      let timer = expect('its helper did not start', START_LIMIT_MS);
      if (signal.aborted) interrupt();
      child.once('error', (error) =>
        finish({ ok: false, reason: `its helper cannot be started: ${messageOf(error)}` }),
      );
      // If the helper ends before it has read the request, the event `close` reports that.
      child.stdin.on('error', () => undefined);
      child.stdout.setEncoding('utf8');
      child.stdout.on('data', (piece: string) => {
        // The empty first line means that the helper has started and is now calling the keychain.
        if (text === '' && !done && !signal.aborted) {
          clearTimeout(timer);
          timer = expect('it did not respond', limitMs);
        }
        text += piece;
        if (text.length > SMALL_FILE_LIMIT) finish({ ok: false, reason: 'its response is too long' });
        if (text.trim() !== '' && text.endsWith('\n'))
          finish(replyOf(text) ?? { ok: false, reason: 'its helper sent no response' });
      });
      child.once('close', (code) =>
        finish(replyOf(text) ?? { ok: false, reason: `its helper ended with ${code ?? 'a signal'}` }),
      );
      child.stdin.end(JSON.stringify({ ...request, service: SERVICE } satisfies KeychainRequest));
    }),
});
