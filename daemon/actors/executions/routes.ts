// The routes of executions: executions.list, show, halt, logs.
import { ANSWERED, type Handlers } from '../../http/on.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { addresses } from '../links.ts';
import { asksForStream, resumePoint, streamLog } from './log-stream.ts';
import { executions } from './service.ts';
import { executionsSummary, executionView } from './view.ts';

type ExecutionsOperation = 'executions.list' | 'executions.show' | 'executions.halt' | 'executions.logs';

/** Handlers of executions. @see facts 1.4, 2.2, 2.3 */
export const executionsHandlers = (
  deps: Pick<ActorsDependencies, 'store' | 'engine' | 'logs' | 'baseUrl'>,
): Handlers<ExecutionsOperation> => {
  const service = executions(deps);
  const at = addresses(deps.baseUrl);
  return {
    'executions.list': ({ actor }) => ({
      result: executionsSummary(actor, service.list(actor.id), at),
      message: 'Executions retrieved.',
    }),

    'executions.show': ({ actor, params }) => ({
      result: executionView(service.show(actor.id, params.executionId), at),
      message: 'Execution retrieved.',
    }),

    'executions.halt': async ({ actor, params }) => {
      await service.halt(actor.id, params.executionId);
      return { result: null, message: `Issued force quit command for execution ${params.executionId}.` };
    },

    'executions.logs': async (context) => {
      const { actor, params, request, response } = context;
      const execution = service.show(actor.id, params.executionId);
      if (asksForStream(request)) {
        await streamLog(service, execution.id, resumePoint(request), response, context.signal);
        return ANSWERED;
      }
      const _links = {
        self: at.logs(actor.id, execution.id),
        owner: at.profile(actor.owner),
        execution: at.execution(actor.id, execution.id),
      };
      return { result: { logs: await deps.logs.read(execution.id), _links }, message: 'Logs retrieved.' };
    },
  };
};
