// Prompts the user. If prompts are not possible, it fails and names the flag to use instead.

import { CliFailure } from '../failure.ts';
import { stripControl } from './text.ts';

export interface PromptRule {
  readonly stdinTty: boolean;
  readonly stderrTty: boolean;
  /** True with `--no-input`, `ACTORCTL_NO_INPUT` or `CI`. */
  readonly noInput: boolean;
  readonly machine: boolean;
}

/** True if questions may be asked. @see docs/cli.md#prompts-and-standard-input */
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

interface Question {
  readonly type: 'confirm' | 'input' | 'password' | 'select';
  readonly message: string;
  readonly default?: string | boolean | undefined;
  readonly mask?: boolean;
  readonly choices?: readonly { readonly value: string; readonly name: string }[];
}

/** Creates the questions. Loads inquirer with the first question. */
export const createPrompt = ({ rule, yes, signal }: PromptInput) => {
  const allowed = mayPrompt(rule);
  /** @param until aborts the prompt */
  const ask = async <T extends string | boolean>(question: Question, until: AbortSignal = signal): Promise<T> => {
    const { default: inquirer } = await import('inquirer');
    const prompt = inquirer.createPromptModule({ output: process.stderr, signal: until });
    try {
      const { answer } = await prompt<{ answer: unknown }>([{ ...question, name: 'answer' }]);
      return answer as T;
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
  const agree = async (question: string, refused = required(question, '--yes')): Promise<boolean> => {
    if (yes) return true;
    if (!allowed) throw refused;
    return ask({ type: 'confirm', message: stripControl(question), default: false });
  };
  return {
    allowed,
    /** Asks for yes or no. Returns true immediately with `--yes`. */
    agree,
    /**
     * Resolves when the user confirms, or immediately with `--yes`.
     * @param refused the failure if questions are not allowed
     * @throws CliFailure CANCELLED if the user declines
     */
    confirm: async (question: string, refused?: CliFailure): Promise<void> => {
      if (!(await agree(question, refused))) throw new CliFailure('CANCELLED', 'cancelled: nothing was changed');
    },
    /**
     * Prompts for a line of text that the user may never enter. When `stop` fires, the prompt disappears and
     * CANCELLED is thrown.
     */
    line: async (question: string, stop: AbortSignal): Promise<string> => {
      if (!allowed) throw required(question, 'a terminal');
      return ask({ type: 'input', message: question }, AbortSignal.any([signal, stop]));
    },
    /** @param instead the flag to use if questions are not allowed, for example `--username` */
    text: async (question: string, instead: string, initial?: string): Promise<string> => {
      if (!allowed) throw required(question, instead);
      return ask({ type: 'input', message: question, default: initial });
    },
    /** Lets the user choose one of several values. Returns the initial value where questions are not allowed. */
    choose: async <T extends string>(
      question: string,
      choices: readonly { readonly value: T; readonly name: string }[],
      initial: T,
    ): Promise<T> => (allowed ? ask<T>({ type: 'select', message: question, choices, default: initial }) : initial),
    /** Like `text`, but the input is not shown. */
    secret: async (question: string, instead: string): Promise<string> => {
      if (!allowed) throw required(question, instead);
      return ask({ type: 'password', message: question, mask: false });
    },
  };
};
