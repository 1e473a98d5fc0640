// Stops a change whose target is not certain.
import { usage } from '../../failure.ts';
import { shellWord } from '../single-quoted.ts';
import type { Settings } from './settings.ts';

/** @throws CliFailure USAGE for a change while the file that may have named another service is blank */
export const requireTarget = ({ unsure }: Pick<Settings, 'unsure'>): void => {
  if (unsure === undefined) return;
  throw usage(
    `${unsure} is blank, and it may have named another service: nothing was changed`,
    `name the service: -c local, or another context; or remove the file: rm ${shellWord(unsure)}`,
  );
};
