// The conditions of `search --where`: parsed, and checked against the fields of the kind that is searched.
import type { SearchType } from '../../contract/actors/search.ts';
import { fields, searchOperators } from '../../contract/for-client.ts';
import { usage } from '../../failure.ts';
import { nearest } from '../../local/nearest.ts';
import { snakeName } from '../../ui/format/names.ts';
import type { Conditions } from '../framework/search-rows.ts';

/** Query parameters of the service that are not field names. */
const reserved: ReadonlySet<string> = new Set(['search', 'exactsearch', 'skip', 'limit', 'pretty', 'naked', 'x-nonce']);

const without = (names: readonly string[], ...hidden: readonly string[]): readonly string[] =>
  names.filter((name) => !hidden.includes(name));

/** The fields of a row of each kind. @see docs/http-api.md#search */
const fieldsOf: Readonly<Record<SearchType, readonly string[]>> = {
  actors: without(
    fields.actor,
    'totalExecutions',
    'lastExecutionTime',
    'aliases',
    'linkedActor',
    'linkProblem',
    'webhookProblem',
  ),
  executions: without(fields.execution, 'apiServer', 'variables', 'logLeftOut'),
  workers: without(fields.worker, 'tenant'),
  logs: ['executionId', 'actorId', 'logs', '_links'],
};

/** Fields with members or entries of their own. Any name may follow them. */
const nested: ReadonlySet<string> = new Set([
  'default_environment',
  'hints',
  'mounts',
  'placement',
  'state',
  'senderVariables',
  'causedBy',
  'message',
  'finalState',
  '_links',
]);

/** Removes the differences between camelCase and snake_case, which the service accepts alike. */
const folded = (name: string): string => name.replaceAll('_', '').toLowerCase();

const meantBy = (word: string, known: readonly string[]): string => {
  const meant = nearest(word, known);
  return meant === undefined ? `use one of ${known.join(', ')}` : `did you mean ${meant}?`;
};

/** @throws CliFailure USAGE for a field or an operator that no row has */
const checkKey = (type: SearchType, key: string): void => {
  const [first = '', second, ...rest] = key.split('.');
  const fields = fieldsOf[type];
  const field = fields.find((each) => folded(each) === folded(first));
  if (field === undefined)
    throw usage(`--where: ${type} have no field "${first}"`, meantBy(snakeName(first), fields.map(snakeName)));
  if (second === undefined || nested.has(field)) return;
  if (rest.length === 0 && searchOperators.some((operator) => operator === second)) return;
  throw usage(`--where: there is no operator "${[second, ...rest].join('.')}"`, meantBy(second, searchOperators));
};

/** Parses `field.operator=value` conditions. */
export const parseWhere = (type: SearchType, given: readonly string[]): Conditions => {
  const conditions = new Map<string, string>();
  for (const text of given) {
    const at = text.indexOf('=');
    const key = at === -1 ? '' : text.slice(0, at).trim();
    if (key === '' || reserved.has(key)) {
      throw usage(
        `--where: "${text}" is not a condition`,
        'write field=value or field.operator=value: status.neq=ERROR',
      );
    }
    checkKey(type, key);
    if (conditions.has(key))
      throw usage(`--where: there are two conditions on ${key}`, `to match one of several values: ${key}.in=["a","b"]`);
    conditions.set(key, text.slice(at + 1));
  }
  return Object.fromEntries(conditions);
};
