// Asks the user questions. If nobody can answer, fails and names the flag to use instead.

import { CliFailure } from '../failure.ts';
import { stripControl } from './text.ts';

export interface PromptRule {
  readonly stdinTty: boolean;
  readonly stderrTty: boolean;
  /** True with `--no-input`, `ACTORCTL_NO_INPUT` or `CI`. */
  readonly noInput: boolean;
  readonly machine: boolean;
}

/** True if questions may be asked. @see docs/cli.md 5.1 */
export const mayPrompt = (rule: PromptRule): boolean =>
  rule.stdinTty && rule.stderrTty && !rule.noInput && !rule.machine;

/** Questions of commands. @throws CliFailure CONFIRMATION_REQUIRED if questions are not allowed; CANCELLED on Ctrl-C */
export type Prompt = ReturnType<typeof createPrompt>;

export interface PromptInput {
  readonly rule: PromptRule;
  /** `--yes` */
  readonly yes: boolean;
  readonly signal: AbortSignal;
}

/** Creates the questions. Loads each kind of question of inquirer with its first use. */
export const createPrompt = ({ rule, yes, signal }: PromptInput) => {
  const allowed = mayPrompt(rule);
  const output = process.stderr;
  const answerTo = async <T>(question: Promise<T>): Promise<T> => {
    try {
      return await question;
    } catch (error) {
      // inquirer throws ExitPromptError on Ctrl-C and AbortPromptError on a signal.
      if (signal.aborted || (error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name))) {
        throw new CliFailure('CANCELLED', 'cancelled', { cause: error });
      }
      throw error;
    }
  };
  const required = (question: string, instead: string): CliFailure =>
    new CliFailure(
      'CONFIRMATION_REQUIRED',
      `cannot ask "${question}" here: no terminal, or questions are switched off`,
      { hint: `give ${instead}` },
    );
  const agree = async (question: string): Promise<boolean> => {
    if (yes) return true;
    if (!allowed) throw required(question, '--yes');
    const { default: confirm } = await import('@inquirer/confirm');
    return answerTo(confirm({ message: stripControl(question), default: false }, { output, signal }));
  };
  return {
    allowed,
    /** Asks for yes or no. Returns true at once with `--yes`. */
    agree,
    /** Resolves when the user agrees, or at once with `--yes`. @throws CliFailure CANCELLED if the user declines */
    confirm: async (question: string): Promise<void> => {
      if (!(await agree(question))) throw new CliFailure('CANCELLED', 'cancelled: nothing was changed');
    },
    /**
     * Asks for a line of text that may never come. When `stop` fires, the question disappears and CANCELLED is thrown.
     */
    line: async (question: string, stop: AbortSignal): Promise<string> => {
      if (!allowed) throw required(question, 'a terminal');
      const { default: input } = await import('@inquirer/input');
      return answerTo(input({ message: question }, { output, signal: AbortSignal.any([signal, stop]) }));
    },
    /** @param instead the flag to use if questions are not allowed, for example `--username` */
    text: async (question: string, instead: string, initial?: string): Promise<string> => {
      if (!allowed) throw required(question, instead);
      const { default: input } = await import('@inquirer/input');
      return answerTo(input({ message: question, default: initial }, { output, signal }));
    },
    /** Like `text`, but the input is not shown. */
    secret: async (question: string, instead: string): Promise<string> => {
      if (!allowed) throw required(question, instead);
      const { default: password } = await import('@inquirer/password');
      return answerTo(password({ message: question, mask: false }, { output, signal }));
    },
  };
};
