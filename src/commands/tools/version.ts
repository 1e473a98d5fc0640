// `version`: shows the versions of actorctl, the daemon, the API and Node.
import { SERVICE_VERSION } from '../../contract/envelope.ts';
import { action } from '../framework/command.ts';

export const versionCommand = action({
  operations: ['health.show'],
  run: async ({ local, output, version }) => {
    const found = await (await local()).locate();
    const daemon = found.state === 'running' ? found.status : undefined;
    const running = daemon ? `daemon ${daemon.version}` : `daemon ${found.state}`;
    output.report(`actorctl ${version} (${running}, API ${SERVICE_VERSION}, Node ${process.versions.node})`, {
      actorctl: version,
      daemon: daemon?.version ?? null,
      api: SERVICE_VERSION,
      schema: daemon?.schemaVersion ?? null,
      node: process.versions.node,
    });
    if (daemon && daemon.version !== version) {
      output.warn(`the daemon has version ${daemon.version}. To update it: actorctl daemon restart`);
    }
    return 0;
  },
});
