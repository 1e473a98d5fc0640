// How the programs are built into dist/. Each is CommonJS, which Node loads faster than modules.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { transformSync } from 'esbuild';
import { defineConfig } from 'rolldown';
import { tsImport } from 'tsx/esm/api';
import { jqFiles } from './rolldown.jq.mjs';
import { libraryFiles } from './rolldown.library.mjs';
import { notices } from './rolldown.notices.mjs';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** @param {import('rolldown').RolldownOptions} options */
const program = ({ output, plugins = [], ...options }) => ({
  platform: 'node',
  transform: {
    target: 'node20',
    define: { ACTORCTL_VERSION: JSON.stringify(version), ACTORCTL_JQ: JSON.stringify('./jq.cjs') },
  },
  logLevel: 'warn',
  ...options,
  plugins: [...plugins, notices],
  output: { dir: 'dist', format: 'cjs', comments: false, ...output },
});

/**
 * Refuses text that was read in another encoding than UTF-8: a page would show two characters in place of one. Node reads the
 * programs as UTF-8, and the daemon declares that charset for each page.
 */
export const utf8Text = {
  name: 'utf8-text',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      const bytes = Buffer.from(file.type === 'chunk' ? file.code : file.source);
      if (!isUtf8(bytes)) throw new Error(`${file.fileName} is not UTF-8`);
      const wrong = /.{0,40}[\u00c2-\u00f4][\u0080-\u00bf]/.exec(bytes.toString('utf8'));
      if (wrong) throw new Error(`${file.fileName} contains text of another encoding: ${wrong[0]}`);
    }
  },
};

/** Bundles the values of a module instead of its code, so that no start computes them. They must be plain data. */
const evaluated = (name) => ({
  name: 'evaluated',
  async load(file) {
    if (!file.endsWith(name)) return undefined;
    const values = Object.entries(await tsImport(file, import.meta.url));
    for (const [key, value] of values) {
      if (!isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value))
        throw new Error(`${key} of ${name} is not data`);
    }
    const code = values.map(([key, value]) => `export const ${key} = ${JSON.stringify(value)};`);
    return { code: code.join('\n'), moduleType: 'js' };
  },
});

/** Writes the JSON schema of project files beside the programs. */
const projectSchema = {
  name: 'project-schema',
  async generateBundle() {
    const { schema } = await tsImport('./src/local/project/project-schema.ts', import.meta.url);
    this.emitFile({ type: 'asset', fileName: 'actorctl.schema.json', source: `${JSON.stringify(schema, null, 2)}\n` });
  },
};

/** Leaves out a module that a library requires at its start, and that this program makes it use never. */
const unused = (library, name) => ({
  name: 'unused',
  resolveId: (source, importer) =>
    source === name && importer?.includes(`/node_modules/${library}/`) ? { id: '\0unused' } : undefined,
  load: (file) => (file === '\0unused' ? { code: 'export {};', moduleType: 'js' } : undefined),
});

const DASHBOARD = 'daemon/web/dashboard';

const dashboardFile = (name) => readFileSync(new URL(`${DASHBOARD}/${name}`, import.meta.url), 'utf8');

/** The stylesheets in one file, in the order of their names. */
const styles = () => {
  const own = readdirSync(new URL(`${DASHBOARD}/styles`, import.meta.url)).sort();
  const css = own.map((name) => dashboardFile(`styles/${name}`)).join('\n');
  return transformSync(css, { loader: 'css', minify: true }).code;
};

/**
 * Writes the page of the dashboard, and each asset compressed in place of the asset itself. Names contain a hash, so
 * that a browser may keep an asset for ever.
 */
const site = {
  name: 'site',
  buildStart() {
    for (const name of readdirSync(new URL(`${DASHBOARD}/styles`, import.meta.url)))
      this.addWatchFile(`${DASHBOARD}/styles/${name}`);
  },
  generateBundle(_options, bundle) {
    const named = (name, type, text) =>
      `${name}-${createHash('sha256').update(text).digest('base64url').slice(0, 8)}.${type}`;
    const assets = new Map();
    const css = styles();
    const icon = dashboardFile('icon.svg');
    const style = named('style', 'css', css);
    const image = named('icon', 'svg', icon);
    assets.set(style, css).set(image, icon);
    const chunks = Object.values(bundle);
    const entry = chunks.find((chunk) => chunk.isEntry && chunk.name === 'main');
    for (const chunk of chunks) {
      assets.set(chunk.fileName, chunk.code);
      delete bundle[chunk.fileName];
    }
    const head = [
      `<link rel="icon" href="/dashboard/${image}" type="image/svg+xml">`,
      `<link rel="stylesheet" href="/dashboard/${style}">`,
      `<script type="module" src="/dashboard/${entry.fileName}"></script>`,
      ...entry.imports.map((name) => `<link rel="modulepreload" href="/dashboard/${name}">`),
    ];
    const emit = (fileName, source) => this.emitFile({ type: 'asset', fileName, source });
    for (const [name, text] of assets) emit(`${name}.gz`, gzipSync(text, { level: 9 }));
    emit('index.html', dashboardFile('index.html').replace('%HEAD%', head.join('\n')));
  },
};

/** Names stay, so that the stack traces of the daemon can be read. */
const withoutSpaces = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

export default defineConfig([
  program({
    input: 'bin/actorctl.ts',
    plugins: [projectSchema],
    checks: { pluginTimings: false },
    output: { entryFileNames: '[name].cjs', codeSplitting: false, minify: true },
  }),
  program({
    // The libraries share the code of the commands.
    input: { main: 'src/main.ts', client: 'src/library/client.ts', testing: 'src/library/testing.ts' },
    // open finds its script beside its code, and keytar is native code that may be absent.
    external: ['open', 'keytar'],
    // inquirer's question that opens an editor is not asked.
    resolve: { alias: { '@inquirer/external-editor': false } },
    // An import at first use may be of a file that most commands load anyway.
    checks: { ineffectiveDynamicImport: false },
    // commander would start other programs as subcommands.
    plugins: [
      evaluated('/src/contract/for-client.ts'),
      evaluated('/src/contract/for-library.ts'),
      unused('commander', 'node:child_process'),
      utf8Text,
      libraryFiles,
      jqFiles,
    ],
    output: {
      dir: 'dist/actorctl',
      cleanDir: true,
      entryFileNames: '[name].cjs',
      // The code of a command is loaded when the command is called.
      chunkFileNames: '[name]-[hash].cjs',
      // Each file costs as much as several kB of code, so what all commands or most of them need is together.
      codeSplitting: {
        groups: [
          {
            name: 'line',
            test: /\/src\/(command-line|program|local\/(version|credentials\/helper-command))\.ts$/,
            priority: 2,
          },
          // Words and names that the options of many commands use, so that their help loads only these.
          {
            name: 'words',
            test: /\/src\/(contract\/(for-client|failure-codes|outcome)|ui\/format\/names)\.ts$/,
            priority: 2,
          },
          {
            name: 'run',
            test: /\/src\/(wiring(\/[^/]+)?|process-context|commands\/framework\/(pairs|resolve-actor))\.ts$/,
            priority: 1,
          },
        ],
      },
      minify: true,
    },
  }),
  program({ input: 'bin/actorctld.ts', output: { entryFileNames: '[name].cjs' } }),
  program({
    input: { main: 'daemon/main.ts' },
    plugins: [utf8Text],
    resolve: {
      // What the daemon's libraries load without need. Express: the daemon reads bodies itself. dockerode: the daemon
      // speaks no ssh, builds without BuildKit sessions, and makes the archives of folders itself.
      alias: {
        'body-parser': false,
        ssh2: false,
        '@grpc/grpc-js': false,
        '@grpc/proto-loader': false,
        protobufjs: false,
        'tar-fs': false,
        '@balena/dockerignore': false,
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
  {
    input: { main: `${DASHBOARD}/main.tsx`, docs: `${DASHBOARD}/docs/main.tsx` },
    platform: 'browser',
    logLevel: 'warn',
    tsconfig: `${DASHBOARD}/tsconfig.json`,
    transform: { target: 'es2022' },
    plugins: [utf8Text, notices, site],
    output: {
      dir: 'dist/dashboard',
      cleanDir: true,
      format: 'esm',
      entryFileNames: '[name]-[hash].js',
      chunkFileNames: '[name]-[hash].js',
      minify: true,
      comments: false,
    },
  },
  program({ input: { 'actor-runner': 'daemon/executor/runner/main.ts' }, output: { entryFileNames: '[name].cjs' } }),
  program({ input: { 'actor-relay': 'daemon/executor/relay/main.ts' }, output: { entryFileNames: '[name].cjs' } }),
]);
