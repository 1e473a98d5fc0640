// `executions result`: takes what an execution handed out, the oldest result or all that wait.
import { command } from '../kernel/command.ts';
import { flag, required, text } from '../kernel/option.ts';
import { resolveExecution } from '../kernel/resolve-actor.ts';
import { noResult, resultValue, takeResult, takeResults } from './result-reader.ts';

/** The flag that names a file for results. */
export const outputFile = text('-O, --output-file <path>', 'write the bytes to a file');

/** `executions result <execution>` */
export const executionsResult = command({
  name: 'result',
  summary: 'Takes the oldest result of an execution, as the bytes that it is; it is gone then.',
  operations: ['results.take'],
  args: { execution: required('execution') },
  options: { outputFile, all: flag('--all', 'all that wait, one behind another') },
  examples: ['actorctl executions result @last -O picture.png', 'actorctl executions result @last --all --json'],
  run: async (context, { execution: reference }, { outputFile: file, all }) => {
    const { output } = context;
    const { id: executionId, actorId } = await resolveExecution(context, reference);
    const source = { actorId, executionId };
    const taken: Buffer[] = [];
    if (all) for await (const bytes of takeResults(context, source)) taken.push(bytes);
    else {
      const bytes = await takeResult(context, source);
      if (bytes === undefined) throw noResult(source);
      taken.push(bytes);
    }
    const whole = Buffer.concat(taken);
    if (file !== undefined) {
      await context.write(file, whole);
      output.result(`Wrote ${whole.length} bytes to ${file}`, { bytes: whole.length, results: taken.length, file });
    } else if (output.machine) {
      const values = taken.map(resultValue);
      output.result('', all ? values : values[0]);
    } else {
      await output.bytes(whole);
    }
    return 0;
  },
});
