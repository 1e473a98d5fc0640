// Waits for the response to an authorization request: from the browser, or pasted at the keyboard.
import type { ClientCredentials } from '../../client/grant.ts';
import type { Attempt } from '../../client/login/attempt.ts';
import { codeOf, type Expected, fitOf, readPasted, tokenOf } from '../../client/login/authorize.ts';
import type { Listener } from '../../client/login/listener.ts';
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';

export type Flow = 'authorization_code' | 'implicit';

export interface PendingLogin {
  readonly attempt: Attempt;
  readonly client: ClientCredentials;
  readonly origin: string;
  readonly redirectUri: string;
  readonly url: string;
  readonly expected: Expected;
}

/** The response: redirect parameters, or a pasted code. */
export type Answer = { readonly parameters: URLSearchParams } | { readonly code: string };

export const TERMINAL = 'terminal';

export const readerOf = (flow: Flow) => (flow === 'implicit' ? tokenOf : codeOf);

/** Prompts until a pasted code or address fits this login. */
const typed = async (
  { prompt, output }: CommandContext,
  flow: Flow,
  { redirectUri, expected }: PendingLogin,
  stop: AbortSignal,
): Promise<Answer | typeof TERMINAL> => {
  for (;;) {
    const line = await prompt.line(
      `Waiting for the browser. Or paste the code or address, or type t for ${TERMINAL}:`,
      stop,
    );
    if (line.trim() === '') continue;
    if (/^t(erminal)?$/i.test(line.trim())) return TERMINAL;
    try {
      const pasted = readPasted(line, redirectUri);
      if (pasted.kind === 'code') {
        if (flow === 'authorization_code') return { code: pasted.code };
        output.warn('this login needs the whole address, not a code');
        continue;
      }
      const { parameters } = pasted;
      // Throws the reason if the response does not belong to this login.
      if (fitOf(parameters, expected, readerOf(flow)) !== 'refused') readerOf(flow)(parameters, expected);
      return { parameters };
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      output.warn(error.message);
    }
  }
};

/** Waits for the browser and the keyboard. The first response wins. */
export const awaitAnswer = async (
  context: CommandContext,
  flow: Flow,
  asked: PendingLogin,
  listener: Listener,
): Promise<Answer | typeof TERMINAL> => {
  if (!context.prompt.allowed) return { parameters: await listener.answer };
  const stop = new AbortController();
  const keyboard = typed(context, flow, asked, stop.signal);
  try {
    return await Promise.race([listener.answer.then((parameters) => ({ parameters })), keyboard]);
  } finally {
    stop.abort();
    // The prompt must leave the terminal before further output. The race has already reported its error.
    await keyboard.catch(() => undefined);
  }
};
