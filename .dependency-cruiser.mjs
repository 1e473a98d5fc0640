// Rules for imports: which folder may import which, and which folder may use which library.
// Folders form layers. A file may import files of its own folder and of lower layers only.

/** A rule that a library may be imported in certain folders only; `library` is a pattern, `homes` are path patterns. */
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
      to: {
        path: '^(src|daemon)/',
        pathNot: '^(src/(main|fixed-text|standard-stream|local/compile-cache)|daemon/main)\\.ts$',
      },
    },
    { name: 'src-never-daemon', severity: 'error', from: { path: '^src/' }, to: { path: '^daemon/' } },
    {
      name: 'daemon-takes-contract-and-local',
      severity: 'error',
      from: { path: '^daemon/' },
      to: { path: '^src/', pathNot: '^src/(contract|local)/' },
    },
    // Layers of src, lowest first:
    // 1. contract
    // 2. client, local, ui
    // 3. commands
    // 4. context, program, main
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
    // A command must not load the schemas of the contract at its start. Logins check answers of other services.
    {
      name: 'commands-build-no-schemas',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(contract/|client/login/)' },
      to: {
        path: '^src/contract/(actors|oauth|owner|people|operations|wire)',
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },
    // The plan of a project decides and does nothing: it makes no request and reads no file.
    {
      name: 'project-plan-is-pure',
      severity: 'error',
      from: { path: '^src/commands/project/plan/' },
      to: {
        path: '^(src/(client/|context\\.ts)|node:(fs|net|http|child_process|os)|(fs|net|http|child_process|os)$)',
        dependencyTypesNot: ['type-only'],
      },
    },
    // Layers of daemon, lowest first:
    // 1. domain: rules without side effects; imports types only from other folders, and address arithmetic of ipaddr.js
    // 2. ports: the interfaces between services and adapters
    // 3. adapters (store, executor, delivery, vault, http) and process: implement the ports
    // 4. services (oauth, actors, clients, people, scheduler, web): know no other service
    // 5. app and management: build parts of the daemon; neither knows the other
    // 6. main: connects everything
    // `config.ts` depends on no other file of the daemon; layers 5 and 6 read it.
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: '^daemon/domain/' },
      to: { pathNot: '^(daemon/domain/|src/contract/)|node_modules/ipaddr\\.js/', dependencyTypesNot: ['type-only'] },
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
    // The dashboard runs in a browser: of this repository it knows the types of the contract.
    {
      name: 'dashboard-knows-the-contract',
      severity: 'error',
      from: { path: '^daemon/web/dashboard/' },
      to: {
        path: '^(bin|src|daemon)/',
        pathNot: '^(daemon/web/dashboard|src/contract)/',
      },
    },
    // The schemas of the contract are too large for a page. The words for outcomes are functions without imports.
    {
      name: 'dashboard-takes-only-types',
      severity: 'error',
      from: { path: '^daemon/web/dashboard/' },
      to: { path: '^src/contract/', pathNot: '^src/contract/outcome\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nobody-imports-the-dashboard',
      severity: 'error',
      from: { path: '^(bin|src|daemon)/', pathNot: '^daemon/web/dashboard/' },
      to: { path: '^daemon/web/dashboard/' },
    },
    {
      name: 'services-never-meet',
      severity: 'error',
      from: { path: '^daemon/(oauth|actors|clients|people|scheduler|web)/' },
      to: { path: '^daemon/', pathNot: '^daemon/(domain|ports|http|$1)/' },
    },
    {
      name: 'scheduler-knows-no-http',
      severity: 'error',
      from: { path: '^daemon/scheduler/' },
      to: { path: '^(daemon/http/|node_modules/express/)' },
    },
    {
      name: 'process-knows-ports',
      severity: 'error',
      from: { path: '^daemon/process/' },
      to: { path: '^daemon/', pathNot: '^daemon/(process|ports)/' },
    },
    {
      name: 'config-knows-no-daemon',
      severity: 'error',
      from: { path: '^daemon/config\\.ts$' },
      to: { path: '^daemon/' },
    },
    {
      name: 'only-the-top-knows-app-management-and-config',
      severity: 'error',
      from: { path: '^daemon/', pathNot: '^daemon/((app|management)/|main\\.ts$)' },
      to: { path: '^daemon/((app|management)/|(main|config)\\.ts$)' },
    },
    {
      name: 'process-is-for-main',
      severity: 'error',
      from: { path: '^daemon/', pathNot: '^daemon/(process/|main\\.ts$)' },
      to: { path: '^daemon/process/' },
    },
    {
      name: 'app-knows-no-management',
      severity: 'error',
      from: { path: '^daemon/app/' },
      to: { path: '^daemon/(management/|main\\.ts$)' },
    },
    {
      name: 'management-knows-no-app',
      severity: 'error',
      from: { path: '^daemon/management/' },
      to: { path: '^daemon/((app|store|executor|delivery|vault)/|main\\.ts$)' },
    },
    // Libraries that only certain folders may import, so that each can be replaced in one place
    lives('express', 'express|busboy', ['^daemon/(http|oauth|web)/', '^daemon/actors/messages/']),
    lives('yaml', 'yaml', ['^src/local/project/project-text\\.ts$']),
    lives('lowdb', 'lowdb', ['^daemon/store/']),
    lives('dockerode', 'dockerode', ['^daemon/executor/']),
    lives('re2js', 're2js', ['^daemon/actors/search/']),
    lives('ipaddr', 'ipaddr\\.js', ['^daemon/domain/events/webhook-address\\.ts$']),
    lives('pino', 'pino', ['^daemon/process/logging\\.ts$']),
    lives('keytar', 'keytar', ['^src/local/credentials/keychain-helper\\.ts$']),
    lives('tar-stream', 'tar-stream', [
      '^src/local/project/build-context',
      '^daemon/executor/docker/tar\\.ts$',
      '^daemon/store/archive/archive-writer\\.ts$',
    ]),
    lives('chokidar', 'chokidar', ['^src/local/project/watch-folder\\.ts$']),
    lives('terminal', 'chalk|ora|inquirer|open', ['^src/ui/']),
    lives('eventsource-parser', 'eventsource-parser', ['^src/client/stream\\.ts$', '^daemon/web/dashboard/api/']),
    lives('preact', 'preact|@preact/signals', ['^daemon/web/dashboard/']),
    lives('uplot', 'uplot', ['^daemon/web/dashboard/views/overview/']),
    lives('dagre', '@dagrejs/dagre', ['^daemon/web/dashboard/views/wiring/']),
    lives('get-east-asian-width', 'get-east-asian-width', ['^src/ui/format/width\\.ts$']),
    lives('commander', 'commander', ['^src/(commands/|program\\.ts$)']),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      conditionNames: ['import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
};
