// The operations of the contract by method and path. Types only: the bundle contains no table of operations.
import type { AnswerOf } from '../../../../src/contract/operation.ts';
import type { OperationId, Operations } from '../../../../src/contract/operations.ts';

type ByRoute = {
  readonly [I in OperationId as `${Operations[I]['method']} ${Operations[I]['path']}`]: Operations[I];
};

/** An operation, written as in the documentation: `GET /actors/v2/:actorId`. The compiler knows all of them. */
export type Route = keyof ByRoute;

export type Answer<R extends Route> = AnswerOf<ByRoute[R]>;

type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest extends string ? `/${Rest}` : never>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export type ParamsOf<R extends Route> = Readonly<Record<NamesIn<R>, string>>;

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The address of a request: each parameter is encoded, so a name cannot leave its segment. */
export const addressOf = (route: string, params: Readonly<Record<string, string>>, query: Query = {}): string => {
  const path = route
    .slice(route.indexOf(' ') + 1)
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`;
};
