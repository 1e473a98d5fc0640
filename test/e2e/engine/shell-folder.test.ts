// Shells in executions of folders: processes in a private copy of the folder.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identityOf } from '../../../src/local/process-identity.ts';
import { NO_ENGINE, until } from '../../support/daemon/daemon.ts';
import { type Home, inProcessHome } from '../../support/daemon/home.ts';
import { startProcess } from '../../support/daemon/run-program.ts';
import { onTerminal } from '../../support/daemon/terminal.ts';

let home: Home;
let folder: string;
let copies: string;
let execution: string;
beforeAll(async () => {
  home = inProcessHome(NO_ENGINE);
  await home.up();
  folder = join(home.folder, 'my actor');
  copies = join(home.folder, 'copies');
  for (const each of [folder, copies]) mkdirSync(each);
  writeFileSync(join(folder, 'actor.json'), '{"command":["sh","main.sh","a b"]}');
  writeFileSync(join(folder, 'main.sh'), 'echo "$MSG $COLOUR"; exit 4');
  symlinkSync('main.sh', join(folder, 'link'));
  const image = new URL(`file://${folder}`).href;
  await home.json('actors', 'create', image, '--name', 'shy', '--stateful', '-e', 'COLOUR=red', '--wait');
  await home.cli(['run', 'shy', '-m', 'hello']);
  ({ id: execution } = await home.json<{ id: string }>('executions', 'show', 'shy@last'));
});
afterAll(() => home.remove());

const start = (...command: string[]) =>
  startProcess(['executions', 'shell', execution, ...command], { env: { ...home.env, TMPDIR: copies } });

describe('a shell in an execution of a folder', () => {
  it('runs in a copy of the folder, with the variables and the state of the execution', async () => {
    const script = 'sh link; cat $_svc_state_file; echo; echo new > main.sh; echo $_svc_execution_id; exit 9';
    const { code, stdout, stderr } = await start('--', 'sh', '-c', script).ended;
    expect({ code, stdout }).toEqual({ code: 9, stdout: `hello red\n{}\n${execution}\n` });
    expect(stderr).toContain("the actor ran: sh main.sh 'a b'");
    expect(readFileSync(join(folder, 'main.sh'), 'utf8')).toContain('COLOUR');
    expect(readdirSync(copies)).toEqual([]);
  });

  it('has the configs of today', async () => {
    await home.json('configs', 'create', 'later', '--value', '{"a":1}', '--share', 'shy');
    const { stdout } = await start('--', 'sh', '-c', 'echo $_actor_configs').ended;
    expect(JSON.parse(stdout)).toEqual({ later: { a: 1 } });
  });

  it('leaves no copy and no process if its command is killed', async () => {
    const { child, out } = start('--', 'sh', '-c', 'echo $$; exec sleep 600');
    await until(() => out().includes('\n'));
    expect(readdirSync(copies)).toHaveLength(1);
    child.kill('SIGKILL');
    await expect.poll(() => readdirSync(copies)).toEqual([]);
    await expect.poll(() => identityOf(Number(out())).processStart).toBe('');
  });

  it('is interactive on a terminal, and Ctrl-C goes to its program', async () => {
    const { code, text } = await onTerminal(`executions shell ${execution}`, { ...home.env, TMPDIR: copies }, [
      // The prompt has the folder too. A Ctrl-C goes to the program once the program itself has written.
      ['the actor ran:', `sh -c 'echo "at $PWD"; exec sleep 600'`],
      ['at /', '\u0003echo "code $?"'],
      ['code 130', 'exit 5'],
    ]);
    expect(code, text).toBe(5);
    expect(readdirSync(copies)).toEqual([]);
  });

  it('says which program cannot be started', async () => {
    expect(await start('--', 'nosuch').ended).toMatchObject({ code: 126, stderr: expect.stringContaining('"nosuch"') });
    expect(readdirSync(copies)).toEqual([]);
  });
});

describe('run', () => {
  it('with --shell-on-failure opens a shell in an execution that fails, and ends with its outcome', async () => {
    const env = { ...home.env, TMPDIR: copies };
    const { code, text } = await onTerminal('run shy -m again --shell-on-failure', env, [
      ['the actor ran:', 'echo "MSG is $MSG"'],
      ['MSG is again', 'exit'],
    ]);
    expect({ code, text }).toEqual({ code: 11, text: expect.stringContaining('MSG is again') });
    expect(readdirSync(copies)).toEqual([]);
  });

  it('with --shell-on-failure sends nothing without a terminal, and for several messages', async () => {
    const before = await home.json<unknown[]>('executions', 'list', 'shy', '--all');
    const refused = await home.cli(['run', 'shy', '-m', 'x', '--shell-on-failure']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('needs a terminal') });
    const { code } = await onTerminal('run shy -m x --repeat 2 --shell-on-failure', home.env);
    expect(code).toBe(2);
    expect(await home.json('executions', 'list', 'shy', '--all')).toEqual(before);
  });

  it('that fails names the command that opens a shell', async () => {
    const { text } = await onTerminal('run shy -m x', home.env);
    expect(text).toMatch(/Next: actorctl logs \S+, or actorctl executions shell \w+/);
  });
});
