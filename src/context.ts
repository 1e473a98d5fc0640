// The dependencies of a command, created in wiring.ts.
import type { Address } from './client/address.ts';
import type { Call, Request } from './client/call.ts';
import type { ConnectionNotes } from './client/connection-notes.ts';
import type { AskAsClient, Grant } from './client/grant.ts';
import type { RetryLimits } from './client/retrying-call.ts';
import type { ServiceClock } from './client/service-clock.ts';
import type { Session } from './client/session.ts';
import type { Stream } from './client/stream.ts';
import type { Transport } from './client/transport.ts';
import type { CredentialStore } from './local/credentials/credentials.ts';
import type { Local } from './local/daemon/instance-daemon.ts';
import type { Manage } from './local/daemon/manage.ts';
import type { Service } from './local/daemon/service.ts';
import type { Paths } from './local/paths.ts';
import type { Settings } from './local/settings/settings.ts';
import type { ProcessContext } from './process-context.ts';
import type { Browser } from './ui/browser.ts';
import type { Editor } from './ui/editor.ts';
import type { Keys } from './ui/keys.ts';
import type { Output } from './ui/output.ts';
import type { Prompt } from './ui/prompt.ts';
import type { Terminal } from './ui/terminal.ts';

/** The dependencies of a command. No command accesses `process`. */
export interface CommandContext {
  readonly settings: Settings;
  readonly paths: Paths;
  readonly output: Output;
  readonly prompt: Prompt;
  readonly keys: Keys;
  readonly terminal: () => Promise<Terminal>;
  readonly call: Call;
  /**
   * Returns a call for streaming commands: it repeats a GET while the service is unreachable, as a stream
   * reconnects.
   */
  readonly retryingCall: (limits?: RetryLimits) => Call;
  readonly connection: ConnectionNotes;
  readonly request: Request;
  readonly stream: Stream;
  readonly session: Session;
  /** Sends requests to the token endpoint. */
  readonly grant: Grant;
  /** Sends requests with client authentication to an endpoint of the authorization service. */
  readonly askAsClient: AskAsClient;
  /** Sends a request without credentials. */
  readonly transport: Transport;
  readonly browser: Browser;
  /** Returns the user's editor. Its code is loaded at the first call, as for `local` and `service`. */
  readonly editor: () => Promise<Editor>;
  readonly credentials: CredentialStore;
  readonly local: () => Promise<Local>;
  /** Calls the owner operations of the local daemon of this instance. */
  readonly manage: Manage;
  readonly service: () => Promise<Service>;
  /** Where requests to the service go. */
  readonly address: Address;
  /** Origin of the service, for messages and links. @throws CliFailure DAEMON_NOT_RUNNING */
  readonly origin: () => Promise<string>;
  /** Origin of the authorization service, usually that of the service. @throws CliFailure DAEMON_NOT_RUNNING */
  readonly authOrigin: () => Promise<string>;
  /**
   * Reads a file, or stdin for `-`. Only `readSecrets` reads stdin too.
   * @param limit largest size in bytes
   * @throws CliFailure USAGE if it cannot be read or is larger
   */
  readonly read: (source: string, limit?: number) => Promise<Buffer>;
  /**
   * One secret per question: typed without an echo if stdin is a terminal, else from one line of stdin each.
   * @throws CliFailure USAGE if a line is missing or empty
   */
  readonly readSecrets: (questions: readonly string[]) => Promise<readonly string[]>;
  /** Where requests to the service of an account go. @throws CliFailure DAEMON_NOT_RUNNING, NOT_FOUND */
  readonly addressOfAccount: (account: string) => Promise<Address>;
  /** Folders of the user's own files, such as start-up files of shells, and the user's shell. */
  readonly user: Pick<ProcessContext, 'env' | 'home' | 'platform' | 'loginShell'>;
  /** Folder with the pages of the documentation. */
  readonly docsDir: string;
  /** Folder for relative names. */
  readonly cwd: string;
  /** Creates or overwrites a file of the user. @throws CliFailure USAGE if that fails */
  readonly write: (file: string, bytes: Uint8Array) => Promise<void>;
  /** Fires on SIGINT, SIGTERM and SIGHUP, and when the reader of the output closes the pipe. */
  readonly signal: AbortSignal;
  readonly takeSignals: ProcessContext['takeSignals'];
  /** Command line that starts this program again. */
  readonly program: ProcessContext['program'];
  /** The system time in milliseconds since the epoch, for events on this machine. */
  readonly now: () => number;
  /** The time of the service, for ages and for times that the service compares. */
  readonly serviceClock: ServiceClock;
  /** Waits. Throws CANCELLED when `signal` fires. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Version of this program. */
  readonly version: string;
  /** A copy of this context that uses another abort signal. */
  readonly withSignal: (signal: AbortSignal) => Promise<CommandContext>;
  /**
   * The context for a local instance beside the one of this command, with the login that is stored for it.
   * Environment variables that name a service or a credential are ignored.
   */
  readonly beside: (instance: string, signal: AbortSignal) => Promise<CommandContext>;
  /**
   * The context for the instance of a temporary home, which has the same name as the home. Settings and logins of this
   * home are not read.
   * @param folder absolute path of the home
   * @param quiet true for a context without notes and progress
   */
  readonly inHome: (folder: string, signal: AbortSignal, quiet?: boolean) => Promise<CommandContext>;
  /**
   * The context for the daemon of this instance, with the login that is stored for it, if the context of this command
   * names another service. Otherwise this context.
   */
  readonly ownDaemon: () => Promise<CommandContext>;
}
