// Names of environment variables: their syntax, and the names that users cannot set.

const SHAPE = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;

/**
 * Variables of the platform, under their names here and in Abaco: users must not imitate the platform.
 * @see docs/security.md R137
 */
const RESERVED = /^(?:_svc_.*|_abaco_.*|_actor_configs(?:_FILE)?|MSG(?:_FILE)?)$/;

/**
 * Variables that loaders, shells and interpreters read before the actor's code runs. The owner may set them in
 * `default_environment`. A sender, who holds only EXECUTE, could run other code in the actor with them.
 */
const CODE_LOADING =
  /^(?:PATH|LD_.*|DYLD_.*|GCONV_PATH|IFS|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|PS4|ZDOTDIR|NODE_OPTIONS|NODE_PATH|PYTHON.*|PERL5.*|PERLLIB|RUBYOPT|RUBYLIB|LUA_.*|PHPRC|PHP_INI_SCAN_DIR|R_PROFILE.*|ERL_.*|CLASSPATH|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|DOTNET_STARTUP_HOOKS|OPENSSL_.*)$/;

/**
 * Variables that decide where HTTP clients send requests and which servers they trust. The owner's token travels in
 * these requests. Matched in any letter case, as HTTP clients do.
 */
const REQUEST_ROUTING =
  /^(?:[a-z]+_proxy|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|NODE_USE_ENV_PROXY|CURL_CA_BUNDLE|CURL_HOME|REQUESTS_CA_BUNDLE)$/i;

/** Whether a text is a valid name of an environment variable. */
export const isVariableName = (name: string): boolean => SHAPE.test(name);

/** Whether only the platform may set this variable. */
export const isReservedVariable = (name: string): boolean => RESERVED.test(name);

/**
 * Whether a variable changes which code runs or which servers it contacts. The sender of a message may not set such
 * variables. @see docs/protocol.md 17.2
 */
export const steersExecution = (name: string): boolean => CODE_LOADING.test(name) || REQUEST_ROUTING.test(name);
