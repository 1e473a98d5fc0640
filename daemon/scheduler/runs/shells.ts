// Opens shells with what an execution had. A shell is no execution: it is recorded nowhere.
import { limitsOf } from '../../domain/actors/actor-limits.ts';
import { resolveVariables } from '../../domain/actors/config-environment.ts';
import { environmentOf } from '../../domain/actors/environment.ts';
import { planShell } from '../../domain/executions/shell-plan.ts';
import { Failure } from '../../domain/failure.ts';
import type { Shells } from '../../ports/runs/shell.ts';
import { executorFor, type SchedulerContext } from '../scheduler-context.ts';

const noShells = (image: string): Failure =>
  new Failure(
    'VALIDATION',
    `a shell needs a container engine on one machine, and this instance runs its containers on a swarm. Run the image yourself: docker run -it --entrypoint sh ${image}`,
  );

export const createShells = (context: SchedulerContext): Shells => ({
  open: async (executionId, request, signal) => {
    const execution = context.store.get('executions', executionId);
    const actor = execution && context.store.get('actors', execution.actorId);
    if (execution === undefined || actor === undefined)
      throw new Failure('NOT_FOUND', `there is no execution "${executionId}" in this instance`);
    const { message, text, state, imageId, notes } = planShell(
      execution,
      actor,
      context.store.by('states', 'actor', actor.id),
    );
    const executor = executorFor(context, imageId ?? actor.image);
    if (executor?.openShell === undefined) throw noShells(actor.image);
    const apiServer = await executor.apiServer(actor.dialect ?? 'modern');
    const received = context.configs.receivedBy(actor);
    const resolved = resolveVariables(actor, received.all);
    if ('fault' in resolved) throw new Failure('VALIDATION', resolved.fault);
    const { variables, files } = environmentOf({
      actor: { ...actor, environment: { ...actor.environment, ...resolved.values } },
      message,
      body: message.contentType === 'application/octet-stream' ? { bytes: Buffer.from(text, 'base64') } : { text },
      state,
      configs: received.text,
      worker: { id: execution.workerId ?? '', image: actor.image },
      ...(apiServer !== undefined && { apiServer }),
    });
    const spec = {
      // Unknown to the records, so that the next start removes what a crash leaves.
      executionId: context.ids.id(),
      actorId: actor.id,
      workerId: context.ids.id(),
      image: actor.image,
      environment: variables,
      files,
      outputs: actor.stateless ? {} : { state },
      limits: limitsOf(actor, context.settings),
      privileged: actor.privileged,
      dialect: actor.dialect,
    };
    return { shell: await executor.openShell(spec, { ...request, imageId }, signal), notes };
  },
});
