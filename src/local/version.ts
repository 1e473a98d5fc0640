// The version of this program, set by the build.

declare const ACTORCTL_VERSION: string | undefined;

/** Version of command line and daemon, `major.minor.patch`; `0.0.0` when run from its sources. */
export const VERSION = typeof ACTORCTL_VERSION === 'string' ? ACTORCTL_VERSION : '0.0.0';
