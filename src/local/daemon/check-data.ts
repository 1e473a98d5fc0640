// Runs the daemon program in check mode to verify the records of a data folder, without starting a daemon.
import { spawn } from 'node:child_process';
import * as z from 'zod/mini';
import { messageOf } from '../../failure.ts';

const answer = z.union([
  z.object({
    ok: z.literal(true),
    /** Absent if the folder has no records. */
    found: z.optional(
      z.object({
        records: z.number(),
        schemaVersion: z.number(),
        tornBytes: z.number(),
        time: z.number(),
        virtual: z.boolean(),
      }),
    ),
  }),
  z.object({
    ok: z.literal(false),
    message: z.string(),
    /** True if a newer version wrote the records. This does not mean that they are damaged. */
    tooNew: z.optional(z.boolean()),
  }),
]);

export type DataCheck = z.output<typeof answer>;

/** Checks the records of a data folder. The check changes nothing and may run while a daemon uses the folder. */
export const checkData = (
  daemon: { readonly file: string; readonly args: readonly string[] },
  dataDir: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<DataCheck> =>
  new Promise((resolve) => {
    const child = spawn(daemon.file, [...daemon.args, '--check-data', '--data-dir', dataDir], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env },
    });
    const text = { out: '', err: '' };
    child.stdout.on('data', (piece: Buffer) => {
      text.out += piece.toString();
    });
    child.stderr.on('data', (piece: Buffer) => {
      text.err += piece.toString();
    });
    child.once('error', (error) => resolve({ ok: false, message: messageOf(error) }));
    child.once('close', () => {
      try {
        resolve(answer.parse(JSON.parse(text.out)));
      } catch {
        resolve({ ok: false, message: `the check ended without a result. ${text.err.trim().slice(-500)}` });
      }
    });
  });
