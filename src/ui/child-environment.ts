// The environment for child processes such as browsers and editors.

/** Variables with secrets, which child processes must not inherit. @see docs/conformance/security.md R144 */
export const SECRET_VARIABLE = /^ACTORCTL_(TOKEN|NONCE|CLIENT_SECRET|ADMIN_PASSWORD)$/;

type Environment = Readonly<Record<string, string | undefined>>;

export const childEnvironment = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET_VARIABLE.test(name)));
