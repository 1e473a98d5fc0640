// Errors of a form, beside the fields that are wrong and in their words. Pure.

/** An error that was found before the request. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

export interface FieldProblem {
  /** Undefined if the whole form is wrong. */
  readonly field: string | undefined;
  readonly text: string;
}

/** The fields of a form with their labels, by the field of the API that they set. */
export type FieldWords = Readonly<Record<string, readonly [field: string, label: string]>>;

/** A field at the start of a sentence of the service, with a member: `memLimit`, `default_environment.A`. */
const FIELD = /(^|; )([A-Za-z_]+)(\.[^\s:;]+)?(?=[\s:])/g;

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** `memLimit must look like 512m; maxWorkers is required.` → a problem of Memory and one of Maximum workers */
const problemsIn = (message: string, words: FieldWords): readonly FieldProblem[] => {
  const found = [...message.matchAll(FIELD)].filter(([, , name = '']) => Object.hasOwn(words, name));
  const [first] = found;
  if (first === undefined) return [{ field: undefined, text: message }];
  const before = message.slice(0, first.index);
  return [
    ...(before === '' ? [] : [{ field: undefined, text: ended(before) }]),
    ...found.map((match, at) => {
      const [whole, , name = '', member = ''] = match;
      const [field, label] = words[name] ?? [name, name];
      const rest = message.slice(match.index + whole.length, found[at + 1]?.index ?? message.length);
      return { field, text: ended(`${label}${member.replace('.', ' ')}${rest}`) };
    }),
  ];
};

export const fieldProblems = (error: unknown, words: FieldWords): readonly FieldProblem[] =>
  error instanceof FieldError
    ? [{ field: error.field, text: error.message }]
    : problemsIn(error instanceof Error ? error.message : 'The request failed. Try again.', words);

export const formatProblems = (problems: readonly FieldProblem[]): string => problems.map(({ text }) => text).join(' ');
