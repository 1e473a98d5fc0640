// `utilization`: shows the number of actors and workers of the tenant.
import { fields } from '../../contract/for-client.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Operations } from '../../contract/operations.ts';
import type { View } from '../../ui/format/view.ts';
import { action } from '../framework/command.ts';

const view: View<ResultOf<Operations['utilization.show']>> = {
  id: ({ currentActors }) => String(currentActors),
  fields: fields.utilization,
  columns: [
    { header: 'ACTORS', value: ({ currentActors }) => currentActors, kind: 'number' },
    { header: 'EVER', value: ({ totalActors }) => totalActors, kind: 'number' },
    { header: 'WORKERS', value: ({ workers }) => workers, kind: 'number' },
    { header: 'STARTING', value: ({ commandQueue }) => commandQueue, kind: 'number' },
    {
      header: 'NODES',
      value: ({ nodes }) => nodes?.map(({ name, detail, executions }) => `${name} ${detail} ${executions}`).join(', '),
    },
  ],
};

export const utilizationCommand = action({
  operations: ['utilization.show'],
  run: async ({ call, output }) => {
    output.item(await call('utilization.show'), view);
    return 0;
  },
});
