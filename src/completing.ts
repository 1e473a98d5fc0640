// `actorctl __complete`, which the completion scripts call: answers within a time limit, changes nothing, never fails.
import { createCall, createRequest } from './client/call.ts';
import { timeLeft } from './client/service-clock.ts';
import { answer, typedIn } from './commands/completion/answer.ts';
import { namesOf } from './commands/completion/words.ts';
import { globalOptions } from './commands/framework/flags.ts';
import { CliFailure } from './failure.ts';
import type { ProcessContext } from './process-context.ts';
import { createContext } from './wiring.ts';

const expired = (): CliFailure => new CliFailure('TOKEN_EXPIRED', 'the login has expired');

/**
 * The context of a run with the flags of the typed line. Its calls use a stored token as long as it is valid. They renew
 * no token, because a renewal that the time limit cuts off would lose the login, use no nonce and start no daemon.
 */
const readerFor = async (flags: ReadonlyMap<string, string>, around: ProcessContext) => {
  const given = (flag: string): string | undefined => flags.get(flag);
  const defaults = Object.fromEntries(Object.entries(globalOptions).map(([key, option]) => [key, option.read([])]));
  const context = await createContext(
    {
      ...(defaults as Parameters<typeof createContext>[0]),
      context: given('--context'),
      instance: given('--instance'),
      tokenFile: given('--token-file'),
      quiet: true,
    },
    undefined,
    around,
  );
  const { address, credentials, settings, transport, signal, serviceClock, read } = context;
  const token = async (): Promise<string> => {
    if (settings.tokenFile !== undefined) return (await read(settings.tokenFile)).toString('utf8').trim();
    if (settings.token !== undefined) return settings.token;
    const login = (await credentials.read(settings.account))?.record.login;
    if (!login || (await timeLeft(login.expiresAt, 0, serviceClock)) <= 0) throw expired();
    return login.accessToken;
  };
  const session = { token, renew: () => Promise.resolve(undefined) };
  const request = createRequest({ transport, address, session, signal });
  return { ...context, call: createCall(request) };
};

/**
 * Answers the script of a shell.
 * @param argv the arguments after the hidden command
 * @param limitMs time for reading names; after it the answer has none
 */
export const complete = async (
  argv: readonly string[],
  limitMs: number,
  processContext: () => Promise<ProcessContext>,
): Promise<string> => {
  const typed = typedIn(argv);
  if (typed === undefined) return '';
  const timeout = AbortSignal.timeout(limitMs);
  const late = new Promise<readonly []>((resolve) => {
    timeout.addEventListener('abort', () => resolve([]), { once: true });
  });
  return answer(typed, async (what, { flags, args, partial }) => {
    const names = async () => {
      const around = await processContext();
      const reader = await readerFor(flags, { ...around, signal: AbortSignal.any([around.signal, timeout]) });
      return namesOf(what, reader, { args, partial });
    };
    // Nothing that goes wrong is worth a line in the middle of a prompt.
    return Promise.race([names().catch(() => []), late]);
  });
};
