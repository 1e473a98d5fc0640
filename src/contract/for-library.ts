// What a client must know of each operation beyond its route, as plain values. The build evaluates this module.
import type { BodyKind } from './operation.ts';
import { parameterNames } from './operation.ts';
import { type ServiceOperationId, serviceOperations } from './operations.ts';

export interface Described {
  /** Names of the path parameters. */
  readonly params: readonly string[];
  /** Names of the query parameters. */
  readonly query: readonly string[];
  readonly body: BodyKind;
  /** True if the operation can answer with a stream of events. */
  readonly isStream: boolean;
}

export const operationTable = Object.fromEntries(
  Object.values(serviceOperations)
    .filter(({ answer }) => answer !== 'page')
    .map(({ id, path, query, body, ...rest }) => [
      id,
      {
        params: [...parameterNames(path)],
        query: Object.keys(query.shape),
        body,
        isStream: 'media' in rest && (rest.media as readonly string[]).includes('text/event-stream'),
      },
    ]),
) as Readonly<Partial<Record<ServiceOperationId, Described>>>;
