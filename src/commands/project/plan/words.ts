// Formats the steps of a plan as text.
import { plural } from '../../../ui/text.ts';
import { formatThing, type Thing } from './desired-state.ts';
import type { Change, Step } from './tasks.ts';

const formatChange = ({ field, before, after }: Change): string =>
  before === undefined && after === undefined ? field : `${field}: ${before ?? '-'} -> ${after ?? '-'}`;

const titleOf = (step: Step): string => `${formatThing(step)}${step.id === undefined ? '' : ` (${step.id})`}`;

const done = { create: 'created', update: 'changed', unchanged: 'unchanged', delete: 'deleted' } as const;

/** `changed    actor hook (Dx81LmRt0pYcE): memory: 64m -> 128m` */
export const formatDone = (step: Step): string => {
  const what = step.action === 'update' ? `: ${step.changes.map(formatChange).join(', ')}` : '';
  return `${done[step.action].padEnd(9)}  ${titleOf(step)}${what}`;
};

/** `change actor hook (Dx81LmRt0pYcE): memory: 64m -> 128m` */
export const formatPlanned = (step: Step): string => {
  const what = step.action === 'update' ? `: ${step.changes.map(formatChange).join(', ')}` : '';
  return `${step.action === 'update' ? 'change' : step.action} ${titleOf(step)}${what}`;
};

const marks = { create: '+', update: '~', unchanged: ' ', delete: '-' } as const;

export const diffLines = (step: Step): readonly string[] => [
  `${marks[step.action]} ${titleOf(step)}`,
  ...(step.action === 'delete' ? [] : step.changes.map((change) => `    ${formatChange(change)}`)),
];

export const valueOfStep = ({ kind, name, id, action, changes }: Step) => ({
  kind,
  name,
  ...(id !== undefined && { id }),
  action: done[action],
  changes,
});

/** `1 created, 2 unchanged` */
export const formatCounts = (steps: readonly Step[]): string => {
  const counts = (['create', 'update', 'unchanged', 'delete'] as const).flatMap((action) => {
    const number = steps.filter((step) => step.action === action).length;
    return number === 0 ? [] : [`${number} ${done[action]}`];
  });
  return counts.join(', ') || 'nothing to do';
};

export const formatLeft = (left: readonly Thing[]): string | undefined =>
  left.length === 0
    ? undefined
    : `${plural(left.length, 'thing')} of the project ${left.length === 1 ? 'is' : 'are'} not in the file: ${left.map(formatThing).join(', ')} (--prune deletes)`;
