// The main job from nothing: an ephemeral daemon, the word-count actor, a real text as its message, its log, exit code and timings.
// Run it with `npm run quickstart`. It leaves nothing behind but the image `actorctl-example/wordcount` in your engine.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const program = fileURLToPath(new URL('../dist/actorctl.cjs', import.meta.url));
const example = join(here, 'wordcount');
const text = join(example, 'gettysburg.txt');
const home = mkdtempSync(join(tmpdir(), 'actorctl-quickstart-'));
const env = { ...process.env, ACTORCTL_HOME: home, ACTORCTL_CREDENTIAL_STORE: 'file', ACTORCTL_ADMIN_USER: 'dev' };
for (const name of [
  'ACTORCTL_TOKEN',
  'ACTORCTL_CLIENT_ID',
  'ACTORCTL_CLIENT_SECRET',
  'ACTORCTL_CONTEXT',
  'ACTORCTL_INSTANCE',
]) {
  delete env[name];
}

const show = (args) => console.log(`\n$ actorctl ${args.map((arg) => (/\s/.test(arg) ? `'${arg}'` : arg)).join(' ')}`);

/** Runs a command as a person would see it; fails the quickstart if it fails. */
const actorctl = (...args) => {
  show(args);
  const { status } = spawnSync(process.execPath, [program, ...args], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`actorctl ${args[0]} ended with exit code ${status}`);
};

/** Runs a command for its JSON. */
const ask = (...args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args, '--json'], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`actorctl ${args.join(' ')} ended with exit code ${status}: ${stderr}`);
  return JSON.parse(stdout);
};

/** Sends a folder to the engine to be built; answers undefined when it worked, else why not. */
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

/** The example as an image: from the registry's busybox, or from this machine's static one; undefined when neither is to be had. */
const buildImage = async (endpoint) => {
  const tag = 'actorctl-example/wordcount';
  console.log(`\nBuilding ${tag} from examples/wordcount/Dockerfile`);
  const why = await build(endpoint, example, tag);
  if (why === undefined) return tag;
  console.log(`  base image not to be had: ${why.trim().split('\n')[0]}`);
  const busybox = ['/bin/busybox', '/usr/bin/busybox'].find(existsSync);
  if (busybox === undefined || process.platform !== 'linux') return undefined;
  console.log(`  building from scratch with ${busybox} instead`);
  const folder = mkdtempSync(join(tmpdir(), 'actorctl-example-'));
  try {
    copyFileSync(busybox, join(folder, 'busybox'));
    copyFileSync(join(example, 'wordcount.sh'), join(folder, 'wordcount.sh'));
    writeFileSync(
      join(folder, 'Dockerfile'),
      'FROM scratch\nCOPY busybox /bin/busybox\nRUN ["/bin/busybox", "--install", "/bin"]\nCOPY wordcount.sh /wordcount.sh\nCMD ["/bin/sh", "/wordcount.sh"]\n',
    );
    const failed = await build(endpoint, folder, tag);
    if (failed === undefined) return tag;
    console.log(`  that failed too: ${failed.trim()}`);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const main = async () => {
  actorctl('up', '--ephemeral', '--port', 'auto', '--login');
  const { engines } = ask('status');
  const endpoint = engines.find(({ name, available }) => name === 'docker' && available)?.endpoint;
  const image = endpoint === undefined ? undefined : await buildImage(endpoint);
  if (image === undefined) {
    console.log(
      `\n${endpoint === undefined ? 'No Docker engine answers' : 'No image could be built'}: the same example runs as a plain process of this machine (a file: actor).`,
    );
  }
  actorctl('actors', 'create', image ?? `file://${example}`, '--name', 'wordcount', '--wait', '60s');
  console.log(`\nThe message is ${text} (${readFileSync(text).length} bytes).`);
  actorctl('run', 'wordcount', '-f', text);
  actorctl('executions', 'list', 'wordcount');
};

try {
  await main();
  console.log('\nThat was the main job. Next: README.md, "First steps".');
} catch (error) {
  console.error(`\nquickstart: ${error.message}`);
  process.exitCode = 1;
} finally {
  show(['down']);
  spawnSync(process.execPath, [program, 'down'], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  rmSync(home, { recursive: true, force: true });
}
