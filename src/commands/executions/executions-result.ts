// `executions result`: reads and removes the oldest result of an execution, or all of them.
import { OwnNames } from '../../ui/format/names.ts';
import { command } from '../kernel/command.ts';
import { flag, required, text } from '../kernel/option.ts';
import { resolveExecution } from '../kernel/resolve-execution.ts';
import { noResult, resultValue, takeResult, takeResults } from './result-reader.ts';

/** The flag that writes results to a file. */
export const outputFile = text('-O, --output-file <path>', 'write the bytes to a file');

/** `executions result <execution>` */
export const executionsResult = command({
  name: 'result',
  summary: 'Read and remove the oldest result of an execution',
  details: 'Prints the raw bytes.',
  operations: ['results.take'],
  args: { execution: required('execution') },
  options: { outputFile, all: flag('--all', 'read and remove all results, concatenated') },
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
      output.result('', new OwnNames(all ? values : values[0]));
    } else {
      await output.bytes(whole);
    }
    return 0;
  },
});
