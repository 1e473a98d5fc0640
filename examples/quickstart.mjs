// Quickstart: starts an ephemeral daemon, creates the word-count actor, sends it a text, and shows log, exit code and timings.
// Run it with `npm run quickstart`. It removes everything afterwards, except the image `actorctl-example/wordcount`.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const program = fileURLToPath(new URL('../dist/actorctl.cjs', import.meta.url));
const example = join(here, 'wordcount');
const text = join(example, 'gettysburg.txt');
const home = mkdtempSync(join(tmpdir(), 'actorctl-quickstart-'));
const env = { ...process.env, ACTORCTL_HOME: home, ACTORCTL_CREDENTIAL_STORE: 'file', ACTORCTL_ADMIN_USER: 'dev' };
for (const name of [
  'ACTORCTL_TOKEN',
  'ACTORCTL_NONCE',
  'ACTORCTL_CLIENT_ID',
  'ACTORCTL_CLIENT_SECRET',
  'ACTORCTL_CONTEXT',
  'ACTORCTL_INSTANCE',
  'ACTORCTL_BASE_URL',
  'ACTORCTL_OUTPUT',
]) {
  delete env[name];
}

const show = (args) => console.log(`\n$ actorctl ${args.map((arg) => (/\s/.test(arg) ? `'${arg}'` : arg)).join(' ')}`);

let clean = false;

/** Stops the daemon and removes its data, once. The command has its own process group, so that a second Ctrl-C does not end it. */
const cleanUp = () => {
  if (clean) return;
  clean = true;
  show(['down']);
  spawnSync(process.execPath, [program, 'down'], { env, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  rmSync(home, { recursive: true, force: true });
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    cleanUp();
    process.exit(128 + constants.signals[signal]);
  });
}

/** Runs a command to its end. A signal that arrives meanwhile is handled before this function returns. */
const runToEnd = async (args, options) => {
  const result = spawnSync(process.execPath, [program, ...args], { env, ...options });
  await setImmediate();
  return result;
};

/** Runs a command and shows its output. Throws if the command fails. */
const actorctl = async (...args) => {
  show(args);
  const { status } = await runToEnd(args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`actorctl ${args[0]} ended with exit code ${status}`);
};

/** Runs a command and returns its JSON output. */
const ask = async (...args) => {
  const { status, stdout, stderr } = await runToEnd([...args, '--json'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`actorctl ${args.join(' ')} ended with exit code ${status}: ${stderr}`);
  return JSON.parse(stdout);
};

/** Builds an image from a folder. Returns undefined on success, else the reason of the failure. */
const build = async (endpoint, folder, tag) => {
  const { default: Docker } = await import('dockerode');
  const docker = new Docker(
    endpoint.startsWith('unix://')
      ? { socketPath: endpoint.slice('unix://'.length) }
      : { host: new URL(endpoint).hostname, port: new URL(endpoint).port },
  );
  const archive = spawn('tar', ['-c', '-C', folder, '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const stream = await docker.buildImage(archive.stdout, { t: tag, networkmode: 'none' });
    const steps = await new Promise((resolve, reject) => {
      docker.modem.followProgress(stream, (error, output) => (error ? reject(error) : resolve(output)));
    });
    return steps.find((step) => step.error)?.error;
  } catch (error) {
    return error.message;
  }
};

/** Builds the image of the example from busybox of the registry, else from the static busybox of this machine. Undefined if neither exists. */
const buildImage = async (endpoint) => {
  const tag = 'actorctl-example/wordcount';
  console.log(`\nBuilding ${tag} from examples/wordcount/Dockerfile`);
  const why = await build(endpoint, example, tag);
  if (why === undefined) return tag;
  console.log(`  cannot use the base image: ${why.trim().split('\n')[0]}`);
  const busybox = ['/bin/busybox', '/usr/bin/busybox'].find(existsSync);
  if (busybox === undefined || process.platform !== 'linux') return undefined;
  console.log(`  building from scratch with ${busybox} instead`);
  const folder = mkdtempSync(join(home, 'example-'));
  try {
    copyFileSync(busybox, join(folder, 'busybox'));
    copyFileSync(join(example, 'wordcount.sh'), join(folder, 'wordcount.sh'));
    writeFileSync(
      join(folder, 'Dockerfile'),
      'FROM scratch\nCOPY busybox /bin/busybox\nRUN ["/bin/busybox", "--install", "/bin"]\nCOPY wordcount.sh /wordcount.sh\nCMD ["/bin/sh", "/wordcount.sh"]\n',
    );
    const failed = await build(endpoint, folder, tag);
    if (failed === undefined) return tag;
    console.log(`  cannot build this image either: ${failed.trim()}`);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const main = async () => {
  await actorctl('up', '--ephemeral', '--port', 'auto', '--login');
  const { engines } = await ask('status');
  const endpoint = engines.find(({ name, available }) => name === 'docker' && available)?.endpoint;
  const image = endpoint === undefined ? undefined : await buildImage(endpoint);
  if (image === undefined) {
    console.log(
      `\n${endpoint === undefined ? 'There is no Docker engine' : 'No image could be built'}: running the example as a process of this machine (a file: actor).`,
    );
  }
  await actorctl(
    'actors',
    'create',
    image ?? pathToFileURL(example).href,
    '--name',
    'wordcount',
    '--wait',
    '--timeout',
    '60s',
  );
  console.log(`\nThe message is ${text} (${readFileSync(text).length} bytes).`);
  await actorctl('run', 'wordcount', '-f', text);
  await actorctl('executions', 'list', 'wordcount');
};

try {
  await main();
  console.log('\nDone. Next: README.md, "First steps".');
} catch (error) {
  console.error(`\nquickstart: ${error.message}`);
  process.exitCode = 1;
} finally {
  cleanUp();
}
