// Labels, quoted command lines and figures of the dashboard.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { formatBytes } from '../../../daemon/web/dashboard/parts/bytes.ts';
import { commandLine, nameWords, quoted } from '../../../daemon/web/dashboard/parts/command.ts';
import { hasFailed } from '../../../daemon/web/dashboard/parts/outcome.ts';
import { safe, safeLines } from '../../../daemon/web/dashboard/parts/text.ts';
import { formatAge, formatDuration } from '../../../daemon/web/dashboard/parts/time.ts';
import { sparkPath } from '../../../daemon/web/dashboard/views/actors/spark-path.ts';
import { formatDetail, formatStatus } from '../../../src/contract/outcome.ts';

describe('a quoted shell argument', () => {
  it('is one argument with the same text for a shell', () => {
    const words = ["it's", '$(reboot)', '`id`', 'a\nb', '', '*', '~', 'a b', '\\', 'ü', '!x', "\u001b[2J'"];
    const printed = execFileSync('bash', ['-c', `printf '%s\\0' ${words.map(quoted).join(' ')}`], { encoding: 'utf8' });
    expect(printed.split('\0').slice(0, -1)).toEqual(words);
  });

  it('R173 shows no character that changes the appearance of the line, and is still the same argument', () => {
    const words = [
      'a\u202etxt.exe',
      '\u2066x\u2069',
      'a\u200bb',
      '\u061c',
      '\u009b2J',
      '\ufeffx',
      "it's\u202e\\x41",
      '\u202e1f',
    ];
    const line = commandLine('clients', 'show', ...words);
    expect(safe(line)).toBe(line);
    expect(line).toMatch(/^actorctl clients show \$'a\\xe2\\x80\\xaetxt\.exe' /);
    const printed = execFileSync('bash', ['-c', `printf '%s\\0' ${words.map(quoted).join(' ')}`], { encoding: 'utf8' });
    expect(printed.split('\0').slice(0, -1)).toEqual(words);
  });

  it('stays as it is if a shell takes it literally', () => {
    expect(commandLine('send', 'resize-images', undefined, '-m', 'hello world')).toBe(
      "actorctl send resize-images -m 'hello world'",
    );
  });
});

it('a name that begins like a flag follows --', () => {
  const line = (name: string) => commandLine('configs', 'show', ...nameWords(name));
  expect([line('--all'), line('db')]).toEqual(['actorctl configs show -- --all', 'actorctl configs show db']);
});

describe('text of others', () => {
  it('shows control characters and changes of direction', () => {
    // Persian and emoji need the joiners.
    expect(safe('\u0645\u06cc\u200c\u0631\u0648\u062f \u200d')).toBe('\u0645\u06cc\u200c\u0631\u0648\u062f \u200d');
    expect(safe('a\u202eb\u0007c\nd\u200b')).toBe('a\ufffdb\ufffdc\ufffdd\ufffd');
    expect(safeLines('a\n\tb\u2066')).toBe('a\n\tb\ufffd');
  });
});

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_250, '1.2 s'],
  [42_900, '42 s'],
  [3_900_000, '1 h 5 m'],
  [90_000_000, '1 d 1 h'],
  [-5, '0 s'],
])('%d ms are %s', (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});

it.each([
  [0, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 m'],
  [172_800_000, '2 d'],
])('an age of %d ms is %s', (ms, words) => {
  expect(formatAge(ms)).toBe(words);
});

it.each([
  [512, '512 B'],
  [1_500, '1.5 kB'],
  [270_600_000_000, '271 GB'],
])('%d bytes are %s', (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words);
});

it.each([
  [{ status: 'SUBMITTED' }, 'waiting', '', false],
  [{ status: 'RUNNING' }, 'running', '', false],
  [{ status: 'COMPLETE', exitCode: 0, reason: 'exited' }, 'complete', '', false],
  [{ status: 'COMPLETE', exitCode: 3, reason: 'exited' }, 'failed, exit 3', '', true],
  [{ status: 'COMPLETE', exitCode: 137, reason: 'timed_out' }, 'timed out', 'exit 137', true],
  [{ status: 'COMPLETE', exitCode: 143, reason: 'halted' }, 'halted', 'exit 143', false],
  [{ status: 'ERROR', statusMessage: 'no such image' }, 'error', 'no such image', true],
  [{ status: 'CANCELLED' }, 'cancelled', '', false],
])('the outcome of %j is "%s" and "%s"', (execution, word, detail, failed) => {
  expect([formatStatus(execution), formatDetail(execution), hasFailed(execution)]).toEqual([word, detail, failed]);
});

it('a spark line begins at the left and its largest value is at the top', () => {
  expect(sparkPath([0, 2, 1], 10, 20)).toBe('M0.0 18.5L5.0 1.5L10.0 10.0');
});
