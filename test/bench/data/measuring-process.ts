// The part of a process that measures once: it is ready, gets a question, sends the answer, and ends with its parent.

export const answerOnce = <Q>(measure: (question: Q) => Promise<unknown>): void => {
  process.once('message', (question: Q) => {
    measure(question).then(
      (answer) => process.send?.(answer),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  });
  process.once('disconnect', () => process.exit(0));
  process.send?.(0);
};
