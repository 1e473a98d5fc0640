// Whether there is colour, and which: the one place that decides.

/** What the user asked for with `--color`. */
export const colorModes = ['auto', 'always', 'never'] as const;
export type ColorMode = (typeof colorModes)[number];

/** Colours text. Without colour every function answers its argument. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const same = (text: string): string => text;

/** No colour. */
export const plain: Paint = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };

/** What the decision depends on; for stdout and stderr it is taken separately. */
export interface ColorInput {
  readonly mode: ColorMode;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tty: boolean;
  /** The stream carries data for a machine. */
  readonly machine: boolean;
}

const FALSE = new Set(['', '0', 'false']);

/**
 * Whether a stream gets colour: machine data never; then `--color`, `NO_COLOR`, `FORCE_COLOR`, `TERM=dumb`, and at last
 * whether it is a terminal.
 * @see cli.md 2.3
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

/** The colours of a stream; loads chalk only if there are any. */
export const paintFor = async (colored: boolean): Promise<Paint> => {
  if (!colored) return plain;
  const { Chalk } = await import('chalk');
  // Level 1 on purpose: the sixteen colours follow the theme of the terminal, and every terminal has them.
  const { bold, dim, red, green, yellow, cyan } = new Chalk({ level: 1 });
  return { bold, dim, red, green, yellow, cyan };
};
