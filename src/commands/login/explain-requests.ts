// `--explain`: prints each request of a login on stderr, with secrets masked.
import type { CommandContext } from '../../context.ts';

/** Masked parameters. State and challenge are shown, because they are useless after the login. */
const SECRET = /^(code|code_verifier|password|client_secret|access_token|refresh_token)$/;

export type Narrate = (step: string, parameters?: Iterable<readonly [string, string]>) => void;

/** Creates the printer. Without `--explain` it prints nothing. */
export const createNarration = ({ output }: Pick<CommandContext, 'output'>, wanted: boolean): Narrate => {
  let count = 0;
  return (step, parameters = []) => {
    if (!wanted) return;
    count += 1;
    const lines = [...parameters].map(([name, value]) => `     ${name} = ${SECRET.test(name) ? '***' : value}`);
    output.errorText(`${[`${String(count).padStart(3)}  ${step}`, ...lines].join('\n')}\n`);
  };
};
