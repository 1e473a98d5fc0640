// How a log is written to stdout and stderr, and how it is cleaned for a terminal.
import { describe, expect, it } from 'vitest';
import type { LogPiece } from '../../../src/commands/executions/logs/log-reader.ts';
import { type LogStyle, writeLog } from '../../../src/commands/executions/logs/log-writer.ts';
import { type Paint, plain } from '../../../src/ui/color.ts';
import type { OutputFormat } from '../../../src/ui/format/view.ts';
import { createOutput } from '../../../src/ui/output.ts';
import type { Sink } from '../../../src/ui/sink.ts';

const sink = (isTTY: boolean): Sink & { readonly text: () => string } => {
  const written: string[] = [];
  return {
    isTTY,
    columns: 80,
    write: (chunk, done) => {
      written.push(Buffer.from(chunk).toString());
      done?.();
      return true;
    },
    text: () => written.join(''),
  };
};

const time = '2026-11-21T12:00:00.000Z';
const piece = (text: string, stream: LogPiece['stream'] = 'stdout', old = true): LogPiece => ({
  text,
  stream,
  old,
  time,
  cursor: '7',
});

async function* pieces(given: readonly LogPiece[]): AsyncGenerator<LogPiece, void, void> {
  for (const each of given) {
    await Promise.resolve();
    yield each;
  }
}

const style: LogStyle = { timestamps: false, stdout: true, stderr: true, executionId: 'X21' };

const written = async (
  given: readonly LogPiece[],
  asked: Partial<LogStyle> = {},
  {
    tty = false,
    format = 'table',
    paint = plain,
    ...more
  }: {
    readonly tty?: boolean;
    readonly format?: OutputFormat;
    readonly paint?: Paint;
    readonly template?: string;
  } = {},
) => {
  const [stdout, stderr] = [sink(tty), sink(tty)];
  const output = createOutput({
    stdout,
    stderr,
    format,
    raw: false,
    headers: true,
    envelope: false,
    quiet: false,
    verbose: false,
    sameTarget: String,
    paint,
    errorPaint: plain,
    progress: async () => ({ update: () => undefined, advance: () => undefined, stop: () => undefined }),
    now: () => Date.parse(time),
    ...more,
  });
  await writeLog({ output }, pieces(given), { ...style, ...asked });
  return { stdout: stdout.text(), stderr: stderr.text() };
};

describe('a log', () => {
  it('in a pipe has exactly the bytes of the actor, on the same stream', async () => {
    const given = [piece('\u001b[31mred\u001b[0m\r\n'), piece('no end', 'stderr'), piece('x')];
    expect(await written(given)).toEqual({ stdout: '\u001b[31mred\u001b[0m\r\nx', stderr: 'no end' });
  });

  it('R163 on a terminal holds no control sequence, on either stream', async () => {
    const evil = 'a\u001b]0;title\u0007b\u001b[2Jc\u009b31md\u202e\n';
    expect(await written([piece(evil), piece(evil, 'stderr')], {}, { tty: true })).toEqual({
      stdout: 'abcd\n',
      stderr: 'abcd\n',
    });
  });

  it('with timestamps and a prefix has both on every line', async () => {
    expect(await written([piece('a\nb'), piece('c\n')], { timestamps: true, prefix: 'X21 | ' })).toMatchObject({
      stdout: `X21 | ${time} a\nX21 | ${time} bc\n`,
    });
  });

  it('R163 keeps the colour of a prefix, but no control sequence in it', async () => {
    const style = { prefix: 'ev\u001b[2Jil | ', color: 'cyan' } as const;
    const paint = { ...plain, cyan: (text: string) => `\u001b[36m${text}\u001b[39m` };
    const { stdout } = await written([piece('a\u001b[2J\n')], style, { tty: true, paint });
    expect(stdout).toBe('\u001b[36mevil | \u001b[39ma\n');
  });

  it('in JSON mode has one object per line', async () => {
    const { stdout, stderr } = await written(
      [piece('a\n'), piece('b\n', 'stderr')],
      { mark: { type: 'log' } },
      { format: 'json' },
    );
    expect(stderr).toBe('');
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { type: 'log', execution_id: 'X21', time, stream: 'stdout', line: 'a', cursor: '7' },
      { type: 'log', execution_id: 'X21', time, stream: 'stderr', line: 'b', cursor: '7' },
    ]);
  });

  it('with a template has one line for each line of both streams', async () => {
    const given = [piece('a'), piece('b\n'), piece('c\n', 'stderr')];
    expect(await written(given, { prefix: 'X21 | ' }, { template: '{{stream}} {{line}}' })).toEqual({
      stdout: 'stdout ab\nstderr c\n',
      stderr: '',
    });
  });

  it.each<[Partial<LogStyle>, string, string]>([
    [{ tail: 1 }, 'old 3\nnew\n', ''],
    [{ tail: 2 }, 'old 3\nnew\n', 'e\n'],
    [{ tail: 0 }, 'new\n', ''],
    [{ tail: 99 }, 'old 1\nold 2\nold 3\nnew\n', 'e\n'],
    [{ stderr: false }, 'old 1\nold 2\nold 3\nnew\n', ''],
    [{ stdout: false }, '', 'e\n'],
    [{ since: Date.parse(time) + 1 }, '', ''],
    [{ since: Date.parse(time) }, 'old 1\nold 2\nold 3\nnew\n', 'e\n'],
  ])('with %j keeps the last stored lines and all new ones', async (asked, stdout, stderr) => {
    const given = [piece('old 1\nold 2\n'), piece('e\n', 'stderr'), piece('old 3\n'), piece('new\n', 'stdout', false)];
    expect(await written(given, asked)).toEqual({ stdout, stderr });
  });

  it('shows notices of the platform on stderr, each on its own line', async () => {
    const given = [
      piece('a\nbegun'),
      piece('[limit]', 'notice'),
      piece('[9 bytes left out]', 'notice'),
      piece('rest\n'),
    ];
    expect(await written(given)).toEqual({
      stdout: 'a\nbegunrest\n',
      stderr: '[limit]\n[9 bytes left out]\n',
    });
    expect(await written(given, { prefix: 'X21 | ' })).toEqual({
      stdout: 'X21 | a\nX21 | begun\nX21 | rest\n',
      stderr: 'X21 | [limit]\nX21 | [9 bytes left out]\n',
    });
  });
});
