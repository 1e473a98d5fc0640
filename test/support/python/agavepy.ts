// The client library agavepy: a checkout of TACC/agavepy that ACTORCTL_TEST_AGAVEPY names, run by the Python of the
// system. None of its code is in this repository. Modules that Debian lacks have stand-ins in this folder.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TarEntry } from '../../../daemon/executor/docker/tar.ts';
import { type Requirement, requirement } from '../runner/requirements.ts';

/** The Python of the system, because only that one has the packages of the system. */
export const PYTHON = '/usr/bin/python3';

const STAND_INS = fileURLToPath(new URL('.', import.meta.url));
const given = process.env['ACTORCTL_TEST_AGAVEPY'];
const checkout = given === undefined ? '' : resolve(given);

/** The folders in which Python finds agavepy and the stand-ins. */
export const pythonPath = [checkout, STAND_INS].join(':');

const PACKAGES = 'python3-{arrow,cloudpickle,dotenv,future,jinja2,requests-toolbelt,websocket}';

/** Whether agavepy can be imported on this machine. */
export const agavepyRequirement = (): Requirement => {
  if (given === undefined) {
    return requirement('agavepy', false, 'ACTORCTL_TEST_AGAVEPY must name a checkout of github.com/TACC/agavepy');
  }
  const env = { PYTHONPATH: pythonPath, PYTHONDONTWRITEBYTECODE: '1' };
  const { status } = spawnSync(PYTHON, ['-c', 'import agavepy.actors'], { env });
  return requirement('agavepy', status === 0, `${PYTHON} cannot import agavepy of ${checkout}; install ${PACKAGES}`);
};

/** Prints the folder of the standard library, and the packages and modules beside it that agavepy imports. */
const LIST = `
import json, os, sys, sysconfig
import agavepy.actors, encodings.idna
site = '/usr/lib/python3/dist-packages'
tops = {name.partition('.')[0] for name in sys.modules}
found = {os.path.join(site, name) for name in tops} | {os.path.join(site, name + '.py') for name in tops}
print(json.dumps([sysconfig.get_path('stdlib'), sorted(path for path in found if os.path.exists(path))]))
`;

/** Parts of the standard library that no actor needs. */
const LEFT_OUT =
  /\/(?:__pycache__|test|tests|idlelib|lib2to3|ensurepip|tkinter|turtledemo|pydoc_data|distutils)\/|\.pyc$/;

const filesBelow = (path: string): readonly string[] =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((file) => !LEFT_OUT.test(`/${relative(path, file)}`));

const asEntry = (path: string, file = path): TarEntry => ({
  path: path.slice(1),
  mode: 0o755,
  source: { bytes: readFileSync(file) },
});

/**
 * The files of an image in which Python imports agavepy: the Python of this machine with its libraries and packages, the
 * checkout in `/agavepy` and the stand-ins in `/stand-ins`.
 */
export const agavepyFiles = (): TarEntry[] => {
  const env = { PYTHONPATH: pythonPath, PYTHONDONTWRITEBYTECODE: '1' };
  const [library, packages] = JSON.parse(execFileSync(PYTHON, ['-c', LIST], { env, encoding: 'utf8' })) as [
    string,
    string[],
  ];
  const python = realpathSync(PYTHON);
  const found = [library, ...packages].flatMap(filesBelow);
  const native = found.filter((file) => file.endsWith('.so'));
  const libraries = execFileSync('ldd', [python, ...native], { encoding: 'utf8' }).match(/\/\S+(?= \()/g) ?? [];
  const own = join(checkout, 'agavepy');
  const at = (folder: string, base: string) => (file: string) => asEntry(join(folder, relative(base, file)), file);
  return [
    ...[...new Set([python, ...found, ...libraries])].map((file) => asEntry(file)),
    asEntry('/usr/bin/python3', python),
    ...filesBelow(own).map(at('/agavepy', checkout)),
    ...filesBelow(STAND_INS)
      .filter((file) => file.endsWith('.py'))
      .map(at('/stand-ins', STAND_INS)),
  ];
};
