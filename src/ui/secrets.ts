// Reads secrets from stdin: without an echo on a terminal, else one per line, without waiting for the end of a pipe.
import { usage } from '../failure.ts';

/** Longest secret in bytes. A token is the longest. */
const SECRET_LIMIT = 64 * 1024;

export const secretsFrom = async (
  questions: readonly string[],
  from: {
    /** Undefined if stdin is no terminal. */
    readonly prompt: { readonly secret: (question: string, instead: string) => Promise<string> } | undefined;
    readonly lines: (count: number, limit: number) => Promise<readonly string[]>;
  },
): Promise<readonly string[]> => {
  const given: string[] = [];
  if (from.prompt) {
    for (const question of questions) given.push(await from.prompt.secret(`${question}:`, 'the secret in a pipe'));
  } else given.push(...(await from.lines(questions.length, questions.length * SECRET_LIMIT)));
  return questions.map((question, index) => {
    const secret = given[index] ?? '';
    if (secret !== '') return secret;
    const where = questions.length === 1 ? 'stdin is empty' : `line ${index + 1} of stdin is missing or empty`;
    throw usage(
      `${where}: the ${question.toLowerCase()} must be there`,
      'pipe it into the command, one secret per line',
    );
  });
};
