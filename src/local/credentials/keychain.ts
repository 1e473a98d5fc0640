// The keychain of the operating system, asked through a helper process that can be killed: a call into it can hang for good.
import { spawn } from 'node:child_process';
import { messageOf } from '../../failure.ts';

/** First argument that makes this program the helper. */
export const KEYCHAIN_ARGUMENT = '__keychain';

/** What the helper is asked, as one JSON document on its stdin; secrets never stand in argv. @see auth.md R144 */
export interface KeychainRequest {
  readonly operation: 'get' | 'set' | 'delete';
  readonly service: string;
  readonly account: string;
  readonly secret?: string;
}

/** What the helper answers, as one JSON document on its stdout. */
export type KeychainReply =
  | { readonly ok: true; readonly secret: string | null }
  | { readonly ok: false; readonly reason: string };

/** How the helper is started. */
export interface HelperCommand {
  readonly file: string;
  readonly args: readonly string[];
}

export interface Keychain {
  /** Answers the secret or null, or why the keychain cannot be used. Never throws, never takes longer than the limits. */
  readonly ask: (request: Omit<KeychainRequest, 'service'>) => Promise<KeychainReply>;
}

export interface KeychainInput {
  readonly helper: HelperCommand;
  /** Environment of the helper: the keychain is found through it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that the keychain has for its answer once the helper has started; then the helper is killed. */
  readonly limitMs?: number;
}

/** Milliseconds that the helper has to start: a machine may be busy, which says nothing about its keychain. */
const START_LIMIT_MS = 30_000;

/** Name under which entries stand in the keychain. */
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
 * Makes the keychain. A helper that gives no answer in time is killed with SIGKILL, which a hanging call cannot delay.
 * @see cli.md R6, R7
 */
export const createKeychain = ({ helper, env, limitMs = 3_000 }: KeychainInput): Keychain => ({
  ask: (request) =>
    new Promise((resolve) => {
      const child = spawn(helper.file, helper.args, {
        env: { ...env },
        stdio: ['pipe', 'pipe', 'ignore'],
        windowsHide: true,
      });
      let text = '';
      let done = false;
      const finish = (reply: KeychainReply): void => {
        if (done) return;
        done = true;
        clearTimeout(timer);
        child.kill('SIGKILL');
        resolve(reply);
      };
      const expect = (what: string, ms: number): NodeJS.Timeout =>
        setTimeout(() => finish({ ok: false, reason: `${what} within ${ms / 1000} s` }), ms);
      let timer = expect('its helper did not start', START_LIMIT_MS);
      child.once('error', (error) =>
        finish({ ok: false, reason: `its helper cannot be started: ${messageOf(error)}` }),
      );
      // A helper that ends before it has read is answered for by `close`.
      child.stdin.on('error', () => undefined);
      child.stdout.setEncoding('utf8');
      child.stdout.on('data', (piece: string) => {
        // The first line is empty: the helper has started, and asks the keychain now.
        if (text === '' && !done) {
          clearTimeout(timer);
          timer = expect('it did not answer', limitMs);
        }
        text += piece;
        if (text.trim() !== '' && text.endsWith('\n'))
          finish(replyOf(text) ?? { ok: false, reason: 'its helper gave no answer' });
      });
      child.once('close', (code) =>
        finish(replyOf(text) ?? { ok: false, reason: `its helper ended with ${code ?? 'a signal'}` }),
      );
      child.stdin.end(JSON.stringify({ ...request, service: SERVICE } satisfies KeychainRequest));
    }),
});
