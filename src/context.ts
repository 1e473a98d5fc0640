// What a command is handed: everything it may touch, wired in main.ts.
import type { Call, Request } from './client/call.ts';
import type { AskAsClient, Grant } from './client/grant.ts';
import type { Session } from './client/session.ts';
import type { Stream } from './client/stream.ts';
import type { Transport } from './client/transport.ts';
import type { CredentialStore } from './local/credentials/credentials.ts';
import type { Local } from './local/daemon/instance-daemon.ts';
import type { Paths } from './local/paths.ts';
import type { Settings } from './local/settings.ts';
import type { Browser } from './ui/browser.ts';
import type { Editor } from './ui/editor.ts';
import type { Keys } from './ui/keys.ts';
import type { Output } from './ui/output.ts';
import type { Prompt } from './ui/prompt.ts';

/** Everything a command may touch. No command looks at `process`. */
export interface CommandContext {
  readonly settings: Settings;
  readonly paths: Paths;
  readonly output: Output;
  readonly prompt: Prompt;
  readonly keys: Keys;
  readonly call: Call;
  readonly request: Request;
  readonly stream: Stream;
  readonly session: Session;
  /** Asks the token endpoint. */
  readonly grant: Grant;
  /** Asks an endpoint of the authorization service as a client. */
  readonly askAsClient: AskAsClient;
  /** One request, with nothing added to it. */
  readonly transport: Transport;
  readonly browser: Browser;
  readonly editor: Editor;
  readonly credentials: CredentialStore;
  readonly local: Local;
  /** Origin of the service. @throws CliFailure DAEMON_NOT_RUNNING */
  readonly origin: () => Promise<string>;
  /** Origin of the authorization service; most often the same. @throws CliFailure DAEMON_NOT_RUNNING */
  readonly authOrigin: () => Promise<string>;
  /**
   * Reads a file, or stdin for `-`. Nothing else ever reads stdin.
   * @param limit largest size in bytes
   * @throws CliFailure USAGE when it cannot be read or is larger
   */
  readonly read: (source: string, limit?: number) => Promise<Buffer>;
  /** Origin of the service that an account belongs to. @throws CliFailure DAEMON_NOT_RUNNING, NOT_FOUND */
  readonly originOfAccount: (account: string) => Promise<string>;
  /** Folder that relative names start at. */
  readonly cwd: string;
  /** Writes a file of the user, made anew or overwritten. @throws CliFailure USAGE when it cannot */
  readonly write: (file: string, bytes: Uint8Array) => Promise<void>;
  /** Fires on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Waits; throws CANCELLED when `signal` fires. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Version of this program. */
  readonly version: string;
}
