// Names of environment variables: their syntax, and the names that users cannot set.
import { VARIABLE_NAME } from '../../../src/contract/variable-name.ts';

/**
 * The platform's own variable names, here and in Abaco. Users cannot set them, so they cannot imitate the platform.
 * @see docs/conformance/security.md R137
 */
const RESERVED = /^(?:_svc_.*|_abaco_.*|_actor_configs(?:_FILE|_URL)?|MSG(?:_FILE|_URL)?)$/;

/** Variables that decide which programs and libraries every program loads. Only the owner may set them. */
const OWNERS = /^(?:PATH|LD_.*)$/;

/**
 * Variables that loaders, shells, interpreters and common programs read before or instead of the actor's own code. The
 * list cannot be complete, so it does not decide what a sender may set: an undeclared name is never set. It only
 * prevents an owner's prefix entry from permitting one of these names by accident.
 */
const CODE_LOADING =
  /^(?:PATH|LD_.*|DYLD_.*|GCONV_PATH|IFS|ENV|CDPATH|SHELL|BASH_.*|BASHOPTS|SHELLOPTS|PS4|ZDOTDIR|HOME|TMPDIR|XDG_.*|NODE_(?!ENV$).*|PYTHON.*|PERL5.*|PERLLIB|RUBY(?:OPT|LIB)|GEM_.*|BUNDLE_.*|LUA_.*|PHPRC|PHP_INI_SCAN_DIR|R_(?:PROFILE|ENVIRON|LIBS|HOME).*|ERL_.*|CLASSPATH|_?JAVA_.*|JDK_.*|MAVEN_.*|GRADLE_.*|DOTNET_STARTUP_HOOKS|OPENSSL_.*|GIT_.*|MAKEFILES|(?:GNU)?MAKEFLAGS|WGETRC|CURL_HOME|TAR_OPTIONS|(?:.*_)?(?:EDITOR|VISUAL|PAGER|BROWSER)|LESS(?:OPEN|CLOSE)?|SSH_.*|DOCKER_.*|KUBECONFIG|AWS_.*_FILE|CARGO_.*|RUSTC.*|GOFLAGS)$/;

/** Settings of package managers, in any letter case. They select registries, scripts and shells. */
const PACKAGE_MANAGERS = /^(?:npm_config_|yarn_|pnpm_|pip_|uv_|conda_)/i;

/**
 * Variables that decide where HTTP clients send requests and which servers they trust. The owner's token travels in
 * these requests. Matched in any letter case, as HTTP clients do.
 */
const REQUEST_ROUTING = /^(?:[a-z]+_proxy|SSL_CERT_(?:FILE|DIR)|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE)$/i;

export const isVariableName = (name: string): boolean => VARIABLE_NAME.test(name);

export const isReservedVariable = (name: string): boolean => RESERVED.test(name);

/** True if no sender may set this variable, whatever the sender's level and the owner's declarations. */
export const isClosedToSenders = (name: string): boolean => isReservedVariable(name) || OWNERS.test(name);

/**
 * True if a variable is known to change which code runs or which servers it contacts. A sender may set it only if the
 * owner declared exactly this name and senders are not excluded from setting it.
 * @see docs/http-api.md#messages
 */
export const steersExecution = (name: string): boolean =>
  CODE_LOADING.test(name) || PACKAGE_MANAGERS.test(name) || REQUEST_ROUTING.test(name);
