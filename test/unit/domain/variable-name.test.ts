// The names of variables: which are valid, which only the platform sets, and which steer the code of an execution.
import { describe, expect, it } from 'vitest';
import {
  isClosedToSenders,
  isReservedVariable,
  isVariableName,
  steersExecution,
} from '../../../daemon/domain/actors/variable-name.ts';

describe('the name of a variable', () => {
  it.each(['A', '_', 'a1_B', 'x'.repeat(256)])('may be %s', (name) => expect(isVariableName(name)).toBe(true));
  it.each(['', '1A', 'a-b', 'a b', 'ä', 'A\n', 'x'.repeat(257)])('may not be %j', (name) =>
    expect(isVariableName(name)).toBe(false),
  );
});

describe('the platform', () => {
  it.each(
    '_svc_ _svc_x _abaco_ _abaco_x _actor_configs _actor_configs_FILE _actor_configs_URL MSG MSG_FILE MSG_URL'.split(
      ' ',
    ),
  )('alone sets %s', (name) => expect(isReservedVariable(name)).toBe(true));
  it.each(['x_svc_x', 'MSGS', 'MSG_URLS', 'AMSG', '_actor_configs_', 'msg', '_SVC_x'])('leaves %s to users', (name) =>
    expect(isReservedVariable(name)).toBe(false),
  );
});

describe('a sender', () => {
  it.each(['PATH', 'LD_', 'LD_PRELOAD', 'MSG', '_svc_x'])('never sets %s', (name) =>
    expect(isClosedToSenders(name)).toBe(true),
  );
  it.each(['PATHS', 'MYPATH', 'LD', 'XLD_PRELOAD', 'path', 'HOME'])('may be allowed to set %s', (name) =>
    expect(isClosedToSenders(name)).toBe(false),
  );
});

/** A name of each group: `X` is the text after a prefix. */
const steering = `PATH LD_PRELOAD DYLD_INSERT_LIBRARIES GCONV_PATH IFS ENV CDPATH SHELL BASH_ENV BASHOPTS SHELLOPTS PS4
  ZDOTDIR HOME TMPDIR XDG_CONFIG_HOME NODE_OPTIONS NODE_ENVIRONMENT PYTHON PYTHONPATH PERL5LIB PERLLIB RUBYOPT RUBYLIB
  GEM_HOME BUNDLE_GEMFILE LUA_PATH PHPRC PHP_INI_SCAN_DIR R_PROFILE R_PROFILE_USER R_ENVIRON R_LIBS_USER R_HOME
  ERL_FLAGS CLASSPATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS DOTNET_STARTUP_HOOKS
  OPENSSL_CONF GIT_SSH_COMMAND MAKEFILES MAKEFLAGS GNUMAKEFLAGS WGETRC CURL_HOME TAR_OPTIONS EDITOR GIT_EDITOR VISUAL
  PAGER MY_PAGER BROWSER LESS LESSOPEN LESSCLOSE SSH_ASKPASS DOCKER_HOST KUBECONFIG AWS_CONFIG_FILE CARGO_HOME
  RUSTC_WRAPPER GOFLAGS npm_config_registry NPM_CONFIG_X yarn_x pnpm_x pip_index_url UV_INDEX conda_x http_proxy
  HTTPS_PROXY all_proxy SSL_CERT_FILE ssl_cert_dir CURL_CA_BUNDLE REQUESTS_CA_BUNDLE`.split(/\s+/);

describe('an execution', () => {
  it.each(steering)('is steered by %s', (name) => expect(steersExecution(name)).toBe(true));

  it.each(
    `MYPATH PATHS LD DYLD HOMES AHOME XDG NODE_ENV MY_NODE_OPTIONS RUBY RUBYOPTS XRUBYLIB R_X JAVA __JAVA_X EDITORS
     LESSON XLESS AWS_FILE AWS_REGION GOFLAGSX MY_npm_config_x npm_config PROXY my_proxy_x XSSL_CERT_FILE SSL_CERT
     CURL_CA_BUNDLES GNUMAKE`.split(/\s+/),
  )('is not steered by %s', (name) => expect(steersExecution(name)).toBe(false));
});
