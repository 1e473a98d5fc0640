// Decides whether a stream gets colour.

export const colorModes = ['auto', 'always', 'never'] as const;
export type ColorMode = (typeof colorModes)[number];

/** Functions that colour text. Without colour each returns its argument. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const same = (text: string): string => text;

export const plain: Paint = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };

/** Input for the decision whether a stream gets colour, which is made for stdout and stderr separately. */
export interface ColorInput {
  readonly mode: ColorMode;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tty: boolean;
  /** True if the stream carries data for a program. */
  readonly machine: boolean;
}

const FALSE = new Set(['', '0', 'false']);

/**
 * True if a stream gets colour. Data for programs never does; otherwise the first of these decides: `--color`,
 * `NO_COLOR`, `FORCE_COLOR`, `TERM=dumb`, whether the stream is a terminal.
 * @see docs/cli.md#color
 */
export const hasColor = ({ mode, env, tty, machine }: ColorInput): boolean => {
  if (machine) return false;
  if (mode !== 'auto') return mode === 'always';
  if (env['NO_COLOR']) return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined && !FALSE.has(force.toLowerCase())) return true;
  if (env['TERM'] === 'dumb') return false;
  return tty;
};

/** The colour functions of a stream. Loads chalk only if there is colour. */
export const paintFor = async (colored: boolean): Promise<Paint> => {
  if (!colored) return plain;
  const { Chalk } = await import('chalk');
  // Level 1, the sixteen basic colours: they follow the theme of the terminal, and every terminal has them.
  const { bold, dim, red, green, yellow, cyan } = new Chalk({ level: 1 });
  return { bold, dim, red, green, yellow, cyan };
};
