// Exits with a one-line error on a Node version that is too old for actorctl. Both entry points import this file first.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** Keep these versions equal to `engines` in package.json. */
const isSupported = major === 20 ? minor >= 19 : major > 22 || (major === 22 && minor >= 3);

if (!isSupported) {
  process.stderr.write(
    `error: actorctl needs Node 22.3 or later, or Node 20 from 20.19; this is Node ${process.versions.node}\n`,
  );
  process.exit(1);
}
