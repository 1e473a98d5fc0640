// The command line, interrupted as Ctrl-C does it once it has said something.
import type { Ended, Home } from './home.ts';

/** Runs it, interrupts it as soon as its output matches, and waits for its end. */
export const interrupt = async (home: Pick<Home, 'start'>, args: readonly string[], when: RegExp): Promise<Ended> => {
  const running = home.start(args);
  let over = false;
  const ended = running.ended.finally(() => {
    over = true;
  });
  while (!over && !when.test(running.out() + running.err())) await new Promise((resolve) => setTimeout(resolve, 5));
  running.interrupt();
  return ended;
};
