// `executions result`: reads and removes the oldest result of an execution, or all of them.
import { fillTarget } from '../../local/user-files.ts';
import { OwnNames } from '../../ui/format/names.ts';
import { command } from '../framework/command.ts';
import { flag, required, text } from '../framework/option.ts';
import { resolveExecution } from '../framework/resolve-execution.ts';
import { resultValue, takeResults } from './result-reader.ts';

export const outputFile = text('-O, --output-file <path>', 'write the bytes to a file', 'files');

export const executionsResult = command({
  name: 'result',
  summary: 'Read and remove the oldest result of an execution',
  details: 'Prints the raw bytes.',
  operations: ['results.take'],
  args: { execution: required('execution', 'execution') },
  options: { outputFile, all: flag('--all', 'read and remove all results, concatenated') },
  examples: ['actorctl executions result @last -O picture.png', 'actorctl executions result @last --all --json'],
  run: async (context, { execution: reference }, { outputFile: file, all }) => {
    const { output } = context;
    const { id: executionId, actorId } = await resolveExecution(context, reference);
    const take = (keep: (bytes: Buffer) => Promise<void>): Promise<readonly Buffer[]> =>
      takeResults(context, { actorId, executionId }, { first: !all, keep });
    if (file !== undefined) {
      const taken = await fillTarget(file, context.cwd, take);
      const size = taken.reduce((sum, { length }) => sum + length, 0);
      output.result(`Wrote ${size} bytes to ${file}`, { bytes: size, results: taken.length, file });
    } else if (output.printsValue) {
      const values: unknown[] = [];
      const tell = (): unknown => output.result('', new OwnNames(all ? values : values[0]));
      await take(async (bytes) => void values.push(resultValue(bytes))).catch((error: unknown) => {
        // An error in JSON format contains the results that were read before the error.
        if (values.length > 0 && !output.machine) tell();
        throw error;
      });
      tell();
    } else {
      await take(output.bytes);
    }
    return 0;
  },
});
