// The procedure of every command that changes a project: read, plan, claim, read again, execute.
import { hostname } from 'node:os';
import type { CommandContext } from '../../context.ts';
import { messageOf } from '../../failure.ts';
import { noSteps, type OnStep } from '../../ui/step.ts';
import { executeSteps, type Outcome, settledRecord } from './execute-steps.ts';
import { claimProject } from './ledger.ts';
import type { CurrentState } from './plan/current-state.ts';
import { changingSteps, type Plan } from './plan/plan.ts';
import type { Step } from './plan/tasks.ts';
import { formatDone, valueOfStep } from './plan/words.ts';

type Context = Pick<CommandContext, 'call' | 'request' | 'output' | 'signal'>;

export interface Look {
  readonly present: CurrentState;
  readonly plan: Plan;
}

export interface Ran extends Outcome {
  readonly steps: readonly Step[];
}

/**
 * The procedure for a plan without changes. It writes nothing to the service, except that it records objects of the
 * file that already existed.
 */
const adopt = async (context: Context, project: string, { plan, present }: Look): Promise<Ran> => {
  const settled = settledRecord(plan, present);
  const { claim, ...record } = present.record;
  if (claim !== undefined || JSON.stringify(settled) !== JSON.stringify(record)) {
    const ledger = await claimProject(context, project, present, hostname());
    try {
      const own = ledger.record().claim;
      await ledger.save({ ...settled, ...(own && { claim: own }) });
    } finally {
      await ledger.release();
    }
  }
  return { steps: plan.steps, ids: new Map([...present.actors].map(([key, { actor }]) => [key, actor.id])) };
};

/**
 * Executes the plan of `look`. If nothing changes, nothing is written.
 * @param look reads and plans; called again once no other apply can change the project
 * @throws CliFailure the errors of the service, with the number of completed steps
 */
export const runPlan = async (
  context: Context,
  project: string,
  first: Look,
  look: () => Promise<Look>,
  onStep: OnStep = noSteps,
): Promise<Ran> => {
  if (changingSteps(first.plan).length === 0) return adopt(context, project, first);
  const { output } = context;
  const ledger = await claimProject(context, project, first.present, hostname());
  const progress = await output.progress(`changing project ${project}`);
  const done = new Map<string, Step>();
  const keyOf = ({ kind, name }: Step): string => `${kind} ${name}`;
  let ran: Ran;
  try {
    const { present, plan } = await look();
    ledger.confirm(present);
    const { ids } = await executeSteps(context, project, plan, present, ledger, async (step) => {
      done.set(keyOf(step), step);
      await onStep({ type: 'step', ...valueOfStep(step) });
    });
    ran = { steps: plan.steps.map((step) => done.get(keyOf(step)) ?? step), ids };
  } catch (error) {
    progress.stop();
    for (const step of done.values()) output.note(formatDone(step));
    const stays = (trouble: unknown): void =>
      output.verbose(`cannot release the claim of the project: ${messageOf(trouble)}`);
    await ledger.release().catch(stays);
    throw error;
  }
  progress.stop();
  await ledger.release();
  return ran;
};
