// The last line of an output, of which only the end is retained in memory.

/** Bytes of the output that are retained. */
const RETAINED = 2_048;
/** Longest line, in characters. */
const LONGEST = 200;

const BREAK = /[\r\n]+/;
/** Escape sequences of a terminal, and other control characters. */
const CONTROLS = /\p{Cc}\[[0-?]*[ -/]*[@-~]|\p{Cc}/gu;

export type LastLine = ReturnType<typeof createLastLine>;

export const createLastLine = () => {
  let end = new Uint8Array();
  return {
    clear(): void {
      end = new Uint8Array();
    },
    add(data: Uint8Array): void {
      const before = end.subarray(Math.max(0, end.length + data.length - RETAINED));
      const added = data.subarray(-RETAINED);
      end = new Uint8Array(before.length + added.length);
      end.set(before);
      end.set(added, before.length);
    },
    /** The last line that is not blank. Undefined if there is none. */
    text(): string | undefined {
      const lines = new TextDecoder().decode(end).split(BREAK);
      const line = lines.map((each) => each.replace(CONTROLS, '').trim()).findLast((each) => each !== '');
      if (line === undefined || line.length <= LONGEST) return line;
      return `${line.slice(0, LONGEST).replace(/\p{Surrogate}$/u, '')}…`;
    },
  };
};
