// `actorctl __complete`, which the completion scripts call. It responds within a time limit, changes nothing and
// never fails.
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
 * The context of a completion run, with the flags of the typed line. Its calls use a stored token only while it is
 * valid. They never renew a token, because a renewal that the time limit interrupts would lose the login. They also
 * use no nonce and start no daemon.
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
 * Prints the completions for the script of a shell.
 * @param argv the arguments after the hidden command
 * @param limitMs time limit for reading names; when it is over, no names are printed
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
    // Errors are ignored: a message would appear in the middle of the command line that the user is typing.
    return Promise.race([names().catch(() => []), late]);
  });
};
