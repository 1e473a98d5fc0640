// Adds the nearest existing name to the failure "not found".
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { nearest } from '../../local/nearest.ts';

type Asker = Pick<CommandContext, 'call'>;

/** A failure NOT_FOUND gets the nearest name as its hint. @param names read only after a failure; may itself fail */
export const orDidYouMean = async <T>(
  answer: Promise<T>,
  word: string,
  names: () => Promise<readonly string[]>,
): Promise<T> => {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'NOT_FOUND') throw error;
    const meant = nearest(word, await names().catch(() => []));
    if (meant === undefined) throw error;
    throw new CliFailure(error.code, error.message, { ...error.extras, hint: `did you mean ${meant}?`, cause: error });
  }
};

export const aliasNames = async ({ call }: Asker): Promise<readonly string[]> =>
  (await call('aliases.list')).map(({ alias }) => alias);

export const actorNames = async (context: Asker): Promise<readonly string[]> => [
  ...(await context.call('actors.list')).map(({ name }) => name).filter((name) => name !== ''),
  ...(await aliasNames(context)),
];

export const configNames = async ({ call }: Asker): Promise<readonly string[]> =>
  (await call('configs.list')).map(({ name }) => name);
