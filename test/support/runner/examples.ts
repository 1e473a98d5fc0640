// How many random examples a sweep tries. `ACTORCTL_TEST_EXAMPLES=10` tries ten times as many.

const factor = Number(process.env['ACTORCTL_TEST_EXAMPLES'] || 1);
// A property without examples always holds.
if (!(factor > 0)) throw new Error('ACTORCTL_TEST_EXAMPLES must be a positive number');

/** Whether somebody asked for another number of examples than the suite has by default. */
export const examplesAsked = factor !== 1;

/** @param count of the suite by default */
export const examples = (count: number): number => Math.ceil(count * factor);

/** How many times longer a sweep may take because of it. */
export const examplesFactor = Math.max(1, factor);
