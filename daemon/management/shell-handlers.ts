// The owner's handler of shells: passes input and output between the client and the container.
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ClientShell, ShellEvent, ShellInput, shellOperations } from '../../src/contract/owner/shells.ts';
import { Failure } from '../domain/failure.ts';
import type { Handlers } from '../http/route-handler.ts';
import type { Logger } from '../ports/logger.ts';
import type { ContainerShell, FolderShell, Shells } from '../ports/runs/shell.ts';
import { longHandler } from './long-handler.ts';

const LINE_LIMIT = 1024 * 1024;

async function* linesOf(body: Readable): AsyncGenerator<string, void, void> {
  let rest = '';
  for await (const piece of body.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_LIMIT) throw new Failure('PAYLOAD_TOO_LARGE', 'a line of the request is too long');
    yield* lines;
  }
}

/** Passes the input of the client on until it ends. A client that breaks off ends the shell by its signal. */
const passInput = async (body: Readable, shell: ContainerShell): Promise<void> => {
  try {
    for await (const line of linesOf(body)) {
      const input = JSON.parse(line) as ShellInput;
      if ('size' in input) await shell.resize(input.size);
      else await shell.write(Buffer.from(input.data, 'base64'));
    }
    shell.endInput();
  } catch {
    await shell.close();
  }
};

const forClient = async ({ folder, environment, files, state }: FolderShell): Promise<ClientShell> => ({
  folder,
  environment,
  files: await Promise.all(
    files.map(async ({ path, variable, source }) => {
      const bytes = 'bytes' in source ? source.bytes : await readFile(source.file);
      return { name: path.slice(path.lastIndexOf('/') + 1), variable, data: Buffer.from(bytes).toString('base64') };
    }),
  ),
  ...(state !== undefined && { state }),
});

export const shellHandlers = (deps: {
  readonly shells: Shells;
  /** True once the daemon stops, which ends every shell. */
  readonly isStopping: () => boolean;
  readonly logger: Logger;
}): Handlers<keyof typeof shellOperations> => ({
  'shells.open': longHandler('shells.open', deps.logger, async ({ input, body, say: tell, drained, signal }) => {
    const say = (event: ShellEvent): void => tell(JSON.stringify(event));
    const { executionId, command, size } = input;
    const { shell, notes } = await deps.shells.open(executionId, { command, ...(size && { size }) }, signal);
    const { ran } = shell;
    if ('folder' in shell) {
      say({ opened: { ran, notes, folder: await forClient(shell) } });
      return {};
    }
    const close = (): void => void shell.close();
    signal.addEventListener('abort', close, { once: true });
    if (signal.aborted) close();
    try {
      say({ opened: { ran, notes } });
      deps.logger.info({ event: 'shell', executionId }, 'a shell was opened');
      void passInput(body, shell);
      for await (const { stream, data } of shell.output) {
        const text = Buffer.from(data).toString('base64');
        say(stream === 'stdout' ? { stdout: text } : { stderr: text });
        await drained();
      }
      if (!signal.aborted && !deps.isStopping()) say({ exitCode: await shell.exitCode() });
      return {};
    } finally {
      signal.removeEventListener('abort', close);
      await shell.close();
    }
  }),
});
