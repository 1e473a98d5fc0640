// `--explain`: tells each request of a login on stderr, as it goes over the wire, with everything secret masked.
import type { CommandContext } from '../../context.ts';

/** Values that are never shown; a state and a challenge prove nothing to whoever reads them later. */
const SECRET = /^(code|code_verifier|password|client_secret|access_token|refresh_token)$/;

/** Tells one step: a line, and below it what was sent. */
export type Narrate = (step: string, parameters?: Iterable<readonly [string, string]>) => void;

/** Makes the teller; one that was not asked for says nothing. */
export const createNarration = ({ output }: Pick<CommandContext, 'output'>, wanted: boolean): Narrate => {
  let count = 0;
  return (step, parameters = []) => {
    if (!wanted) return;
    count += 1;
    const lines = [...parameters].map(([name, value]) => `     ${name} = ${SECRET.test(name) ? '***' : value}`);
    output.errorText(`${[`${String(count).padStart(3)}  ${step}`, ...lines].join('\n')}\n`);
  };
};
