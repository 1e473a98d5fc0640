// Names of environment variables: what they look like, and which ones a user cannot set.

const SHAPE = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;

/** Ours, and the names the real service has for them: nobody may pretend to be the platform. @see auth.md R137 */
const RESERVED = /^(?:_svc_.*|_abaco_.*|_actor_configs(?:_FILE)?|MSG(?:_FILE)?)$/;

/**
 * What a loader, a shell or an interpreter obeys before the actor's own code runs. The owner may set them in
 * `default_environment`; a sender, who has EXECUTE only, would run other code in the actor with them.
 */
const OBEYED =
  /^(?:PATH|LD_.*|DYLD_.*|GCONV_PATH|IFS|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|PS4|ZDOTDIR|NODE_OPTIONS|NODE_PATH|PYTHON.*|PERL5.*|PERLLIB|RUBYOPT|RUBYLIB|LUA_.*|PHPRC|PHP_INI_SCAN_DIR|R_PROFILE.*|ERL_.*|CLASSPATH|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|DOTNET_STARTUP_HOOKS|OPENSSL_.*)$/;

/**
 * Where HTTP clients send what the actor sends, and whom they believe to be its receiver: the token of the owner goes that
 * way, in every letter case that clients know.
 */
const ROUTED =
  /^(?:[a-z]+_proxy|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|NODE_USE_ENV_PROXY|CURL_CA_BUNDLE|CURL_HOME|REQUESTS_CA_BUNDLE)$/i;

/** Whether a text can name an environment variable at all. */
export const isVariableName = (name: string): boolean => SHAPE.test(name);

/** Whether only the platform sets this variable. */
export const isReservedVariable = (name: string): boolean => RESERVED.test(name);

/** Whether a variable changes which code runs, or with whom it talks, and so is not for the sender of a message to set. @see wire.md "Messages and executions" */
export const steersExecution = (name: string): boolean => OBEYED.test(name) || ROUTED.test(name);
