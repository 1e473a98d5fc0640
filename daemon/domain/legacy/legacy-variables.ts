// The names that the hosted platform uses for platform variables.

const OURS = '_svc_';
const THEIRS = '_abaco_';

type Variable = readonly [name: string, value: string];

/** Programs of the hosted platform read the content type from a variable that exists only there. */
const HYPHENATED: Readonly<Record<string, string>> = { _abaco_Content_Type: '_abaco_Content-Type' };

/** The variables `_abaco_NAME` for all variables `_svc_NAME`, with the same values. @see docs/legacy.md */
export const legacyVariables = (variables: readonly Variable[]): readonly Variable[] =>
  variables.flatMap(([name, value]) => {
    if (!name.startsWith(OURS)) return [];
    const theirs = THEIRS + name.slice(OURS.length);
    const other = HYPHENATED[theirs];
    return other === undefined
      ? [[theirs, value]]
      : [
          [theirs, value],
          [other, value],
        ];
  });
