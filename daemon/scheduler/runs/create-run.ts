// Creates the run of a waiting message, ready to start: with its environment, its token and its limits.
import { SCOPE } from '../../../src/contract/oauth/token.ts';
import { limitsOf, runTimeLimitOf, tokenLifeOf } from '../../domain/actors/actor-limits.ts';
import { resolveVariables } from '../../domain/actors/config-environment.ts';
import { environmentOf, fitsVariable, type MessageBody } from '../../domain/actors/environment.ts';
import { newestState, stateText } from '../../domain/actors/state.ts';
import { executionWarnings } from '../../domain/executions/run-warnings.ts';
import type { TokenRecord } from '../../domain/records/account-records.ts';
import type { ActorRecord } from '../../domain/records/actor-records.ts';
import { ExecutorError } from '../../ports/executor.ts';
import type { Assignment, SchedulerContext } from '../scheduler-context.ts';

export interface CreatedRun {
  readonly ref: string;
  /**
   * Makes the token of the run, valid from `now`, the time of the claim. The claim can be long after the creation of
   * the run.
   */
  readonly token: ((now: number) => TokenRecord) | undefined;
  readonly limitMs: number | undefined;
  readonly warnings: readonly string[];
  /** Undefined for a stateless actor. */
  readonly stateVersion: number | undefined;
  /** JSON texts of the secrets that the log hides. */
  readonly secrets: readonly string[];
  /** True if the actor's owner, description, state and configs are still those that the run was created with. */
  readonly isUpToDate: () => boolean;
}

export type Created = CreatedRun | { readonly error: unknown };

const storedBody = async (
  context: SchedulerContext,
  { message }: Assignment,
  bodyFile: string,
  { dialect }: Pick<ActorRecord, 'dialect'>,
): Promise<MessageBody> => {
  const small = message.contentType !== 'application/octet-stream' && fitsVariable('MSG', message.size);
  const isConverted = dialect === 'legacy' && message.contentType === 'application/json';
  if (!small && !isConverted) return { file: context.bodies.path(bodyFile) };
  return { text: (await context.bodies.read(bodyFile)).toString('utf8') };
};

/** The secret is only put into the run's environment; the store gets a hash. */
const tokenFor = (
  context: SchedulerContext,
  actor: ActorRecord,
  executionId: string,
  limitMs: number | undefined,
): { readonly secret: string; readonly recordAt: (now: number) => TokenRecord } | undefined => {
  if (!actor.token && actor.stateless) return undefined;
  const secret = context.ids.secret();
  const hash = context.vault.digest(secret);
  return {
    secret,
    recordAt: (now) => ({
      hash,
      kind: 'access',
      tenant: actor.tenant,
      username: actor.owner,
      clientId: '',
      scope: SCOPE,
      grantId: executionId,
      flow: 'execution',
      issuedAt: now,
      expiresAt: now + tokenLifeOf(limitMs, context.settings.stopGraceMs),
      executionId,
    }),
  };
};

const stateAndConfigsOf = ({ store, configs }: SchedulerContext, actor: ActorRecord) => {
  const { text, secrets, all } = configs.receivedBy(actor);
  const state = stateText(store.by('states', 'actor', actor.id));
  return { state, configs: { text, secrets }, variables: resolveVariables(actor, all) };
};

/**
 * Creates the run without starting it.
 * @throws ExecutorError, also for a variable whose config is not shared; Failure if a secret cannot be decrypted
 */
const createRun = async (
  context: SchedulerContext,
  assignment: Assignment,
  given: ActorRecord,
): Promise<CreatedRun> => {
  const { slot, message, executor } = assignment;
  const { executionId } = message;
  const newest = () => context.store.get('actors', given.id) ?? given;
  const actor = newest();
  const limitMs = runTimeLimitOf(actor, context.settings.defaultMaxRunTimeMs);
  const token = tokenFor(context, actor, executionId, limitMs);
  const asked = executor.apiServer(actor.dialect ?? 'modern');
  // The promise may reject before it is awaited.
  asked.catch(() => undefined);
  const means = executor.means?.();
  const { bodyFile, text } = message;
  // Values that are already known are not awaited, so that the engine starts working before the client gets its
  // response and sends more.
  const body = bodyFile === null ? { text: text ?? '' } : await storedBody(context, assignment, bodyFile, actor);
  const apiServer = await asked;
  // Read as late as possible, so that the run gets the newest state and configs.
  const shared = stateAndConfigsOf(context, actor);
  // An update of the actor and the sharing of its config are two requests. So the first failure may pass; after the
  // second one, only a person can help.
  if ('fault' in shared.variables)
    throw new ExecutorError(actor.startFailures > 0 ? 'never' : 'start', shared.variables.fault);
  const { values, secretNames } = shared.variables;
  const stateVersion = actor.stateless
    ? undefined
    : (newestState(context.store.by('states', 'actor', actor.id))?.version ?? 0);
  const { variables, files } = environmentOf({
    actor: { ...actor, environment: { ...actor.environment, ...values } },
    message,
    body,
    state: shared.state,
    configs: shared.configs.text,
    worker: { id: slot.workerId, image: slot.image },
    ...(apiServer !== undefined && { apiServer }),
    ...(token !== undefined && { accessToken: token.secret }),
  });
  const ofEngine: string[] = [];
  const ref = await executor.create(
    {
      executionId,
      actorId: actor.id,
      workerId: slot.workerId,
      image: slot.image,
      environment: variables,
      ...(shared.configs.secrets.length > 0 && { secretVariables: ['_actor_configs', ...secretNames] }),
      files,
      outputs: actor.stateless ? {} : { state: shared.state },
      limits: limitsOf(actor, context.settings),
      privileged: actor.privileged,
      dialect: actor.dialect,
      placement: actor.placement,
    },
    context.signal,
    (text) => ofEngine.push(text),
  );
  const known = await means;
  const warnings = executionWarnings(actor, known && { ...known, reachesApi: apiServer !== undefined }, ofEngine);
  const isUpToDate = () => {
    const { owner, version } = newest();
    const now = stateAndConfigsOf(context, actor);
    // The owner must be the same, because the run's token belongs to the owner.
    const isSameActor = owner === actor.owner && version === actor.version;
    return isSameActor && JSON.stringify(now) === JSON.stringify(shared);
  };
  const secrets = actor.showSecrets ? [] : shared.configs.secrets;
  return { ref, token: token?.recordAt, limitMs, warnings, stateVersion, secrets, isUpToDate };
};

/** Creates the run without starting it. `known` is used if the actor is deleted meanwhile. */
export const tryToCreate = (context: SchedulerContext, assignment: Assignment, known: ActorRecord): Promise<Created> =>
  createRun(context, assignment, known).catch((error: unknown) => ({ error }));
