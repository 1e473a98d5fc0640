// A connection to an engine that refuses calls before it accepts one.
import type { Connection } from '../../../daemon/executor/engine/connection.ts';

/** A connection whose engine answers each call with the next of these refusals, and then with `answer`. */
export const refusing = (answer: unknown, ...refusals: readonly (readonly [statusCode: number, message: string])[]) => {
  const left = [...refusals];
  let asked = 0;
  const call = async () => {
    asked += 1;
    const [statusCode, message] = left.shift() ?? [];
    if (message !== undefined) throw Object.assign(new Error(message), { statusCode });
    return answer;
  };
  return { connection: { call } as unknown as Connection, asked: () => asked };
};
