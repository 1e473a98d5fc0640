// What a run leaves in its output files, and the limits for reading it.

/** The content of an output file, or why it does not count, for the end of a sentence. */
export type Output = { readonly bytes: Uint8Array } | { readonly fault: string };

export interface RunOutputs {
  /** Absent if the file is empty. */
  readonly result?: Output;
  /** Absent if the state is still the one that the run began with. Without white space around it. */
  readonly state?: Output;
}

export interface OutputLimits {
  readonly resultBytes: number;
  readonly stateBytes: number;
}
