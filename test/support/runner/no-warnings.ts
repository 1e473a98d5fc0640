// Fails a test during which this process warned: a leak of listeners, a deprecated or experimental function.
import { afterAll, afterEach, expect } from 'vitest';

const warnings: string[] = [];
const note = ({ name, message, stack }: Error): void => void warnings.push(stack ?? `${name}: ${message}`);
process.on('warning', note);

// Node emits a warning after the code that caused it has returned.
const check = async (): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings.splice(0)).toEqual([]);
};
afterEach(check);
afterAll(async () => {
  await check();
  process.off('warning', note);
});
