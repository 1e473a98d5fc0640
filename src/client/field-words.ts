// Rewords failures of the service that name fields of the API, in the words of the command that set these fields.
import { CliFailure } from '../failure.ts';

/** The words of a command by the field that they set: `memLimit` → `--memory`. */
export type FieldWords = Readonly<Record<string, string>>;

/** A field at the start of a sentence of the service, with a member: `placement.0`, `default_environment.A`. */
const FIELD = /(^|; )([A-Za-z_]+)(?:\.([^\s:;]+))?(?=[\s:])/g;

const reworded = (message: string, words: FieldWords): string =>
  message.replace(FIELD, (whole, before: string, field: string, member: string | undefined) => {
    const own = Object.hasOwn(words, field) ? words[field] : undefined;
    if (own === undefined) return whole;
    // The number of an element means nothing to a person who repeated a flag.
    const inner = member === undefined || /^\d+$/.test(member) ? '' : member;
    const joint = inner === '' ? '' : own.startsWith('--') ? ' ' : '.';
    return before + own + joint + inner;
  });

/** For `catch`: throws the failure with the words of the command in place of the fields. */
export const inWordsOf =
  (words: FieldWords) =>
  (error: unknown): never => {
    if (!(error instanceof CliFailure) || error.code !== 'VALIDATION') throw error;
    throw new CliFailure(error.code, reworded(error.message, words), { ...error.extras, cause: error });
  };
