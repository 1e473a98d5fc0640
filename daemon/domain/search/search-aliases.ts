// Replaces aliases in search conditions by actor ids.
import type { Condition, Search } from './search.ts';
import type { Operand } from './search-operand.ts';

/** Replaces aliases in conditions on `field` by ids. A text for which `resolve` returns undefined stays as it is. */
export const withActorIds = (
  search: Search,
  field: string,
  resolve: (idOrAlias: string) => string | undefined,
): Search => {
  const resolved = (operand: Operand): Operand => {
    const id = operand.kind === 'value' && operand.text !== undefined ? resolve(operand.text) : undefined;
    return id === undefined ? operand : { kind: 'value', value: id, text: id };
  };
  const conditions = search.conditions.map((condition): Condition => {
    if (condition.path.rest.length > 0 || !condition.path.first.includes(field)) return condition;
    if ('operands' in condition) return { ...condition, operands: condition.operands.map(resolved) };
    if (condition.operator === 'eq' || condition.operator === 'neq') {
      return { ...condition, operand: resolved(condition.operand) };
    }
    return condition;
  });
  return { ...search, conditions };
};
