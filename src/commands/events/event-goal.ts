// Conditions on events: an event type, or a jq expression.

import type { EventView } from '../../contract/actors/events.ts';
import { filterItems, parseFilter } from '../../ui/format/filter.ts';
import { compileJq } from '../../ui/format/jq.ts';
import { toJson } from '../../ui/format/json.ts';
import { snakeKeys, snakeName } from '../../ui/format/names.ts';

export interface EventGoal {
  readonly text: string;
  readonly reached: (event: unknown) => boolean;
}

const typeName = /^[A-Z][A-Z0-9_]*$/;

const typeOf = (event: unknown): unknown =>
  typeof event === 'object' && event !== null && 'event_type' in event ? event.event_type : undefined;

/** @throws CliFailure USAGE for an expression that is not valid */
export const eventGoalOf = async (text: string): Promise<EventGoal> => {
  if (typeName.test(text)) return { text, reached: (event) => typeOf(event) === text };
  const filter = await compileJq(text);
  return { text, reached: (event) => filter(toJson(event)).some((value) => value !== null && value !== false) };
};

/** @param now milliseconds since the epoch, for relative times */
export const eventFilterOf = (
  filters: readonly string[],
  known: readonly string[],
  now: number,
): ((event: EventView) => boolean) => {
  const rules = filters.map((filter) => parseFilter(filter, known.map(snakeName), now));
  return (event) => filterItems([toJson(snakeKeys(event))], rules).length > 0;
};
