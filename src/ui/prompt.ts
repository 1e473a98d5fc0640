// Questions to a person: only where one can answer; otherwise a failure that names the flag to give.
import { CliFailure } from '../failure.ts';

export interface PromptRule {
  readonly stdinTty: boolean;
  readonly stderrTty: boolean;
  /** `--no-input`, `ACTORCTL_NO_INPUT` or `CI`. */
  readonly noInput: boolean;
  /** Output for a machine. */
  readonly machine: boolean;
}

/** Whether a question may be asked. @see cli.md 2.3 */
export const mayPrompt = (rule: PromptRule): boolean =>
  rule.stdinTty && rule.stderrTty && !rule.noInput && !rule.machine;

/** What commands ask through. */
export interface Prompt {
  /** Whether a question may be asked at all. */
  readonly allowed: boolean;
  /**
   * Resolves when the person agrees, or at once with `--yes`.
   * @throws CliFailure CONFIRMATION_REQUIRED (exit 3) when nobody can be asked; CANCELLED when the answer is no
   */
  readonly confirm: (question: string) => Promise<void>;
  /**
   * A line of text.
   * @param instead what to give when nobody can be asked, e.g. `--username`
   * @throws CliFailure CONFIRMATION_REQUIRED (exit 3) when nobody can be asked; CANCELLED on Ctrl-C
   */
  readonly text: (question: string, instead: string, initial?: string) => Promise<string>;
  /** A line of text that may come at any time or never: the question goes away when `stop` fires, and then CANCELLED is thrown. */
  readonly line: (question: string, stop: AbortSignal) => Promise<string>;
  /**
   * Yes or no; yes at once with `--yes`.
   * @throws CliFailure CONFIRMATION_REQUIRED (exit 3) when nobody can be asked; CANCELLED on Ctrl-C
   */
  readonly agree: (question: string) => Promise<boolean>;
  /** Like `text`, but nothing typed is shown. */
  readonly secret: (question: string, instead: string) => Promise<string>;
}

export interface PromptInput {
  readonly rule: PromptRule;
  /** `--yes` */
  readonly yes: boolean;
  readonly signal: AbortSignal;
}

/** Makes the questions. Loads inquirer with the first one. */
export const createPrompt = ({ rule, yes, signal }: PromptInput): Prompt => {
  const allowed = mayPrompt(rule);
  const ask = async <T>(question: (inquirer: typeof import('inquirer').default) => Promise<T>): Promise<T> => {
    const { default: inquirer } = await import('inquirer');
    try {
      return await question(inquirer);
    } catch (error) {
      // inquirer ends a question with an ExitPromptError on Ctrl-C and an AbortPromptError on a signal.
      if (signal.aborted || (error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name))) {
        throw new CliFailure('CANCELLED', 'cancelled', { cause: error });
      }
      throw error;
    }
  };
  const required = (question: string, instead: string): CliFailure =>
    new CliFailure('CONFIRMATION_REQUIRED', `"${question}" cannot be asked here`, { hint: `give ${instead}` });
  const output = process.stderr;
  const agree = async (question: string): Promise<boolean> => {
    if (yes) return true;
    if (!allowed) throw required(question, '--yes');
    const { agreed } = await ask((inquirer) => {
      const module = inquirer.createPromptModule({ output, signal });
      return module<{ agreed: boolean }>([{ type: 'confirm', name: 'agreed', message: question, default: false }]);
    });
    return agreed;
  };
  return {
    allowed,
    agree,
    confirm: async (question) => {
      if (!(await agree(question))) throw new CliFailure('CANCELLED', 'cancelled; nothing was changed');
    },
    line: async (question, stop) => {
      if (!allowed) throw required(question, 'a terminal');
      const either = AbortSignal.any([signal, stop]);
      const { answer } = await ask((inquirer) => {
        const module = inquirer.createPromptModule({ output, signal: either });
        return module<{ answer: string }>([{ type: 'input', name: 'answer', message: question }]);
      });
      return answer;
    },
    text: async (question, instead, initial) => {
      if (!allowed) throw required(question, instead);
      const { answer } = await ask((inquirer) => {
        const module = inquirer.createPromptModule({ output, signal });
        return module<{ answer: string }>([
          { type: 'input', name: 'answer', message: question, ...(initial !== undefined && { default: initial }) },
        ]);
      });
      return answer;
    },
    secret: async (question, instead) => {
      if (!allowed) throw required(question, instead);
      const { answer } = await ask((inquirer) => {
        const module = inquirer.createPromptModule({ output, signal });
        return module<{ answer: string }>([{ type: 'password', name: 'answer', message: question, mask: false }]);
      });
      return answer;
    },
  };
};
