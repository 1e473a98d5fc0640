// The classification of failed starts: which of them waiting can help, and the fix of each other one.
import { describe, expect, it } from 'vitest';
import {
  engineStartFault,
  interpreterOf,
  type ProgramFile,
  programFault,
  systemStartFault,
} from '../../../daemon/domain/executions/start-fault.ts';

const source = { owner: 'the folder /f', field: '"command" in /f/actor.json' };
const script = (head: string, hasInterpreter = true): ProgramFile => ({
  state: 'executable',
  path: '/f/main.sh',
  head,
  hasInterpreter,
});

describe('the interpreter of a script', () => {
  it.each([
    ['#!/bin/sh\necho', '/bin/sh'],
    ['#! \t/bin/sh -e\n', '/bin/sh'],
    ['#!/bin/sh\r\necho\r\n', '/bin/sh\r'],
    ['#!/bin/sh', '/bin/sh'],
    ['#!\n', undefined],
    ['echo', undefined],
    ['\u007fELF', undefined],
    ['', undefined],
  ])('of %j is %j', (head, interpreter) => {
    expect(interpreterOf(head)).toBe(interpreter);
  });
});

describe('the fault of a program', () => {
  const cases: [string, string, ProgramFile, RegExp | undefined][] = [
    [
      'a script that ends lines with CR LF',
      './main.sh',
      script('#!/bin/sh\r\n', false),
      /CR LF.*sed -i 's\/\\r\$\/\/' \/f\/main\.sh$/,
    ],
    ['an env line that ends with CR LF', './main.sh', script('#!/usr/bin/env python3\r\n'), /CR LF/],
    ['a missing interpreter', './main.sh', script('#!/no/perl\n', false), /interpreter \/no\/perl does not exist/],
    ['a missing x bit', './main.sh', { state: 'not executable', path: '/f/main.sh' }, /chmod \+x \/f\/main\.sh$/],
    ['a folder', './sub', { state: 'folder', path: '/f/sub' }, /it is a folder/],
    ['a wrong path', './no.sh', { state: 'missing', path: '/f/no.sh' }, /it does not exist. Correct "command"/],
    ['a name that PATH lacks', 'no', { state: 'missing', path: 'no' }, /no folder of its PATH has it.*absolute path/],
    ['a file without ./', 'run', { state: 'missing', path: 'run', isInWorkingFolder: true }, /Write "\.\/run" in/],
    ['a deleted folder', 'sh', { state: 'no working folder', path: '/f' }, /the folder was deleted/],
    ['a carriage return in an argument of perl', './main.sh', script('#!/usr/bin/perl -w\r\n'), undefined],
    ['a carriage return in a later line', './main.sh', script('#!/bin/sh\necho\r\n'), undefined],
    ['a good script', './main.sh', script('#!/bin/sh\n'), undefined],
  ];
  it.each(cases)('of %s', (_what, name, file, expected) => {
    const fault = programFault(name, file, source);
    if (expected === undefined) expect(fault).toBeUndefined();
    else expect(fault).toMatch(expected);
    expect(fault ?? '').not.toMatch(/\.$/);
  });

  it('names what follows the correction of a file in an image', () => {
    const afterwards = 'build the image again';
    expect(programFault('/x', { state: 'not executable', path: '/x' }, { ...source, afterwards })).toMatch(
      /chmod \+x \/x, then build the image again$/,
    );
  });
});

describe('a program that the system does not start', () => {
  const good = script('#!/bin/sh\n');
  it.each([
    ['ENOENT', 'never'],
    ['EACCES', 'never'],
    ['ENOEXEC', 'never'],
    ['ELOOP', 'never'],
    ['E2BIG', 'size'],
    ['EAGAIN', 'start'],
    ['ENOMEM', 'start'],
    ['EMFILE', 'start'],
    ['ETXTBSY', 'start'],
    [undefined, 'start'],
  ])('with %s has the kind %s', (code, kind) => {
    expect(systemStartFault({ code, said: 'spawn x' }, './main.sh', good, source)).toMatchObject({
      kind,
      message: expect.stringContaining('spawn x'),
    });
  });

  it('has the fault of its file as the cause, even if the file cannot be looked up', () => {
    const failure = { code: 'EACCES', said: 'spawn ./main.sh EACCES' };
    const denied = systemStartFault(failure, './main.sh', { state: 'not executable', path: '/f/main.sh' }, source);
    expect(denied.message).toMatch(/^cannot run ".\/main.sh" of the folder \/f: it is not executable/);
    expect(systemStartFault(failure, './main.sh', undefined, source).message).toContain('noexec');
  });
});

describe('a container that the engine does not start', () => {
  const runtime = 'OCI runtime create failed: runc create failed: unable to start container process: exec: ';
  it.each([
    ['unable to find user nosuch: no matching entries in passwd file', 'never', 'Correct USER'],
    ['unable to find group nosuch: no matching entries in group file', 'never', 'Correct USER'],
    ['uids and gids must be in range 0-2147483647', 'never', 'Correct USER'],
    ['unable to start container process: unable to setup user: invalid argument', 'never', 'no such user id'],
    ['crun: setgroups: Invalid argument: OCI runtime error', 'start', 'setgroups'],
    ['crun: setresuid(200000): Invalid argument: OCI runtime error', 'never', '/etc/subuid'],
    [`${runtime}"/nosuch": stat /nosuch: no such file or directory: unknown`, 'never', 'Correct CMD'],
    [`${runtime}"nosuch": executable file not found in $PATH: unknown`, 'never', 'Correct CMD'],
    ['crun: x: OCI runtime attempted to invoke a command that was not found', 'never', 'Correct CMD'],
    ['Cannot mkdir: /ok.sh is not a directory', 'never', 'Correct WORKDIR'],
    ['workdir "/ok.sh" exists on container 4817, but is not a directory', 'never', 'Correct WORKDIR'],
    ['Range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available', 'never', '--cpus'],
    ['starting container failed: exec /x: argument list too long', 'size', 'smaller message'],
    ["rpc error: code = Unknown desc = raft: raft message is too large and can't be sent", 'size', 'smaller message'],
    // Faults of the engine itself, which its owner may correct at any time.
    [`${runtime}"/sbin/docker-init": stat /sbin/docker-init: no such file or directory: unknown`, 'start', ''],
    ['failed to start shim: exec: "containerd-shim": executable file not found in $PATH', 'start', ''],
    ['joining network namespace of container: No such container: 1', 'start', ''],
    ['no space left on device', 'start', ''],
  ])('because of %j has the kind %s', (said, kind, fix) => {
    expect(engineStartFault(said)).toMatchObject({ kind, message: expect.stringContaining(fix) });
    expect(engineStartFault(said).message).toContain(said);
  });
});
