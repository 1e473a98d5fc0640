// Import rules: which folder may import which, and which module may use which library.
const lives = (name, library, homes) => ({
  name: `${name}-has-one-home`,
  severity: 'error',
  from: { pathNot: ['^test/', ...homes] },
  to: { path: `node_modules/(${library})/`, dependencyTypesNot: ['type-only'] },
});

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
    { name: 'product-without-tests', severity: 'error', from: { path: '^(bin|src|daemon)/' }, to: { path: '^test/' } },
    {
      name: 'doors',
      severity: 'error',
      from: { path: '^bin/' },
      to: { path: '^(src|daemon)/', pathNot: '^(src|daemon)/main\\.ts$' },
    },
    { name: 'src-never-daemon', severity: 'error', from: { path: '^src/' }, to: { path: '^daemon/' } },
    {
      name: 'daemon-takes-contract-and-local',
      severity: 'error',
      from: { path: '^daemon/' },
      to: { path: '^src/', pathNot: '^src/(contract|local)/' },
    },
    // Layers of src: contract < client, local, ui < commands < context, program, main
    {
      name: 'contract-is-the-ground',
      severity: 'error',
      from: { path: '^src/contract/' },
      to: { path: '^src/', pathNot: '^src/contract/' },
    },
    {
      name: 'local-knows-contract',
      severity: 'error',
      from: { path: '^src/local/' },
      to: { path: '^src/', pathNot: '^src/((contract|local)/|failure\\.ts$)' },
    },
    {
      name: 'ui-knows-contract',
      severity: 'error',
      from: { path: '^src/ui/' },
      to: { path: '^src/', pathNot: '^src/((contract|ui)/|failure\\.ts$)' },
    },
    {
      name: 'client-knows-contract-and-local',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { path: '^src/', pathNot: '^src/((contract|client|local)/|failure\\.ts$)' },
    },
    // Layers of the daemon
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: '^daemon/domain/' },
      to: { pathNot: '^(daemon/domain/|src/contract/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ports-are-types',
      severity: 'error',
      from: { path: '^daemon/ports/' },
      to: { pathNot: '^(daemon/(domain|ports)/|src/contract/)' },
    },
    {
      name: 'adapters-know-ports-and-domain',
      severity: 'error',
      from: { path: '^daemon/(store|executor|delivery|vault|http)/' },
      to: { path: '^daemon/', pathNot: '^daemon/(domain|ports|$1)/' },
    },
    {
      name: 'services-never-meet',
      severity: 'error',
      from: { path: '^daemon/(oauth|actors|profiles|clients|users|tenants|engine|web)/' },
      to: { path: '^daemon/', pathNot: '^daemon/(domain|ports|http|$1)/' },
    },
    {
      name: 'engine-knows-no-http',
      severity: 'error',
      from: { path: '^daemon/engine/' },
      to: { path: '^(daemon/http/|node_modules/express/)' },
    },
    // Each library is used in one place only
    lives('express', 'express|busboy', ['^daemon/(http|oauth|web)/', '^daemon/actors/messages/']),
    lives('lowdb', 'lowdb', ['^daemon/store/']),
    lives('dockerode', 'dockerode', ['^daemon/executor/']),
    lives('re2js', 're2js', ['^daemon/actors/search/']),
    lives('pino', 'pino', ['^daemon/process/logging\\.ts$']),
    lives('keytar', 'keytar', ['^src/local/credentials/keychain']),
    lives('build-context', 'tar-stream|@balena/dockerignore', ['^src/local/project/build-context']),
    lives('terminal', 'chalk|ora|inquirer|open', ['^src/ui/']),
    lives('eventsource-parser', 'eventsource-parser', ['^src/client/stream\\.ts$']),
    lives('get-east-asian-width', 'get-east-asian-width', ['^src/ui/format/width\\.ts$']),
    lives('commander', 'commander', ['^src/(commands/|program\\.ts$)']),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      conditionNames: ['import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
};
