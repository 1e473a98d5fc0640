// How the programs are built into dist/. Each is CommonJS, because Node can load that from a code cache.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** @param {import('rolldown').RolldownOptions} options */
const program = ({ output, ...options }) => ({
  platform: 'node',
  transform: { target: 'node20', define: { ACTORCTL_VERSION: JSON.stringify(version) } },
  logLevel: 'warn',
  ...options,
  output: { dir: 'dist', format: 'cjs', charset: 'ascii', ...output },
});

/** Names stay, so that the stack traces of the daemon can be read. */
const withoutSpaces = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

export default defineConfig([
  program({
    input: 'bin/actorctl.ts',
    external: ['chalk', 'ora', 'inquirer', 'open', 'keytar'],
    output: { entryFileNames: '[name].cjs', codeSplitting: false, minify: true, comments: false },
  }),
  program({ input: 'bin/actorctld.ts', output: { entryFileNames: '[name].cjs' } }),
  program({
    input: { main: 'daemon/main.ts' },
    resolve: {
      // What the daemon's libraries load without need. Express: the daemon reads bodies itself. dockerode: the daemon
      // speaks no ssh and builds without BuildKit sessions.
      alias: {
        'body-parser': false,
        ssh2: false,
        '@grpc/grpc-js': false,
        '@grpc/proto-loader': false,
        protobufjs: false,
      },
    },
    output: {
      dir: 'dist/daemon',
      cleanDir: true,
      entryFileNames: '[name].cjs',
      codeSplitting: false,
      minify: withoutSpaces,
    },
  }),
  program({ input: { 'actor-runner': 'daemon/executor/runner/main.ts' }, output: { entryFileNames: '[name].cjs' } }),
]);
