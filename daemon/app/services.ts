// Creates the services that handle the operations, and the HTTP apps of the listeners.
import { resourceAccess } from '../actors/access.ts';
import type { ActorsDependencies } from '../actors/dependencies.ts';
import { actorsHandlers } from '../actors/handlers.ts';
import { nonceRedemption } from '../actors/nonces/redemption.ts';
import { nonceSecrets } from '../actors/nonces/secrets.ts';
import { sweepNonces } from '../actors/nonces/sweep.ts';
import { registry } from '../actors/registry/service.ts';
import { ensureDashboardClient } from '../clients/dashboard-client.ts';
import { clientsHandlers } from '../clients/routes.ts';
import { type AppOptions, createApp } from '../http/app.ts';
import { createAuthenticate } from '../http/authenticate.ts';
import { legacyDialect } from '../http/dialect/legacy.ts';
import { healthHandlers } from '../http/health.ts';
import { type AssertionOptions, acceptAssertions } from '../http/jwt-assertion.ts';
import type { Handlers } from '../http/route-handler.ts';
import { type AuthorizationService, createAuthorizationService } from '../oauth/service.ts';
import { createPasswordCheck } from '../people/password-check.ts';
import { profilesHandlers } from '../people/profiles-routes.ts';
import { tenantsHandlers } from '../people/tenants-routes.ts';
import { usersHandlers } from '../people/users-routes.ts';
import type { OfferedFiles } from '../ports/file-offers.ts';
import { createClock } from '../vault/clock.ts';
import { docsHandlers } from '../web/docs/routes.ts';
import { mountSite } from '../web/site/routes.ts';

export interface LegacyListener {
  readonly hosts: () => ReadonlySet<string>;
  readonly baseUrl: () => string;
  readonly identity: NonNullable<AppOptions['identity']>;
  /** True for the listener of containers. */
  readonly onlyExecutionTokens: boolean;
  /** Verifies assertions of a gateway. Absent: none are accepted. */
  readonly gateway?: AssertionOptions['gateway'];
}

export interface Services {
  /** Returns the options for `app`. */
  parts(hosts: () => ReadonlySet<string>, onlyExecutionTokens: boolean): AppOptions;
  /**
   * Creates the app of a listener.
   * @param onlyExecutionTokens true for the listener of containers
   * @param files the files that runs fetch there
   */
  app(
    hosts: () => ReadonlySet<string>,
    onlyExecutionTokens: boolean,
    files?: OfferedFiles,
  ): ReturnType<typeof createApp>;
  readonly loginLink: AuthorizationService['loginLink'];
  readonly issue: AuthorizationService['issue'];
  /** Creates an app for programs of the hosted platform, over the same records. */
  legacyApp(listener: LegacyListener): ReturnType<typeof createApp>;
  /** Resumes work that a previous daemon had begun. Returns at once. */
  resume(): void;
  /** Deletes expired records; failures are logged. */
  sweep(): Promise<void>;
}

interface ServicesDependencies extends ActorsDependencies {
  /** True until the records are recovered. The main listener refuses requests until then. */
  readonly starting?: () => boolean;
  /** The folder of the built dashboard. Absent if there is no dashboard. */
  readonly dashboardDir?: string;
}

export const createServices = (deps: ServicesDependencies): Services => {
  const { store, vault, clock, logger, ids, about, dashboardDir } = deps;
  const { starting = () => false, virtual } = deps;
  const common = { ...deps, checkPassword: createPasswordCheck({ store, vault, clock, logger }) };
  /** Authorization service of the main listener. Each listener with forms has its own: forms belong to one origin. */
  const authorization = createAuthorizationService(common);
  const handlersOf = (deps: typeof common, forms: Pick<AuthorizationService, 'handlers'>): Handlers => ({
    ...healthHandlers({ ...about, baseUrl: deps.baseUrl, starting }),
    ...docsHandlers(deps),
    ...forms.handlers,
    ...clientsHandlers(deps),
    ...usersHandlers(deps),
    ...tenantsHandlers(deps),
    ...profilesHandlers(deps),
    ...actorsHandlers(deps),
  });
  const nonces = nonceRedemption(common);
  const clientOf = (tenant: string | undefined) => ensureDashboardClient(common, tenant);
  const dashboard = dashboardDir === undefined ? undefined : { folder: dashboardDir, clientOf };
  const handlers = { ...handlersOf(common, authorization), ...docsHandlers({ baseUrl: deps.baseUrl, dashboard }) };
  const legacy = legacyDialect({ nonceSecret: nonceSecrets(common) });
  const parts: Services['parts'] = (hosts, onlyExecutionTokens) => ({
    handlers,
    authenticate: createAuthenticate({ ...common, onlyExecutionTokens }),
    access: resourceAccess(common),
    nonces,
    ids,
    logger,
    hosts,
    // Every response includes the time of a virtual clock.
    ...(virtual && { virtualClock: clock }),
    ...(!onlyExecutionTokens && { starting, baseUrl: deps.baseUrl }),
    onlyExecutionTokens,
    failurePage: authorization.failurePage,
    ...(dashboard !== undefined && !onlyExecutionTokens && { site: mountSite({ ...common, ...dashboard }) }),
  });
  return {
    parts,
    loginLink: authorization.loginLink,
    issue: authorization.issue,
    app: (hosts, onlyExecutionTokens, files) =>
      createApp({ ...parts(hosts, onlyExecutionTokens), ...(files !== undefined && { oneTimeFiles: files }) }),
    legacyApp({ hosts, baseUrl, identity, onlyExecutionTokens, gateway }) {
      const own = { ...common, baseUrl };
      const forms = createAuthorizationService(own);
      const { site: _site, ...shared } = parts(hosts, onlyExecutionTokens);
      const authenticate = createAuthenticate({ ...own, onlyExecutionTokens });
      return createApp({
        ...shared,
        ...(!onlyExecutionTokens && { baseUrl }),
        // A gateway knows only the machine's time, even if the instance has a virtual clock.
        authenticate: gateway
          ? acceptAssertions({ store, clock: createClock({ floor: 0 }), gateway }, authenticate)
          : authenticate,
        handlers: handlersOf(own, forms),
        identity,
        legacy,
        hasBarePaths: gateway !== undefined,
      });
    },
    resume() {
      registry(common)
        .resumeDeletions()
        .catch((error: unknown) => logger.warn({ error }, 'cannot finish a deletion'));
    },
    async sweep() {
      try {
        await Promise.all([authorization.sweep(), sweepNonces(common), deps.results.sweep()]);
      } catch (error) {
        logger.warn({ error }, 'cannot delete expired records');
      }
    },
  };
};
