// What an execution returned in its output files: a result, and the next state.
import { isNestedDeeper, JSON_DEPTH } from '../../../src/contract/json-scanner.ts';

/** Why a part does not count, for the end of a sentence. */
export type Refused = { readonly fault: string };

/** Why an execution's result and state are not stored, as sentences. */
export const complaintsOf = ({
  result,
  state,
}: {
  readonly result?: Refused | undefined;
  readonly state?: Refused | undefined;
}): readonly string[] => [
  ...(result ? [`The result in _svc_result_file is not stored: ${result.fault}.`] : []),
  ...(state ? [`The state in _svc_state_file is not stored: ${state.fault}.`] : []),
];

/** The text of a new state, or why it is none. @param bytes without white space around them */
export const stateFrom = (bytes: Uint8Array): { readonly text: string } | Refused => {
  if (bytes.length === 0) return { fault: 'the file is empty' };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { fault: 'the file is not UTF-8 text' };
  }
  if (isNestedDeeper(text, JSON_DEPTH)) return { fault: `its JSON is nested deeper than ${JSON_DEPTH} levels` };
  try {
    JSON.parse(text);
  } catch {
    return { fault: 'the file is not JSON' };
  }
  return { text };
};
