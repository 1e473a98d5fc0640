// Sends unix datagrams, which Node cannot: by perl, with nothing but its own words, so that it runs in an image as well.
import { execFile } from 'node:child_process';

/** Sends each text behind the path as one datagram. */
const SEND = `
my $path = shift; socket(my $s, 1, 2, 0) or die "$!";
for (@ARGV) {
  my $bytes = /^bytes:(\\d+)$/ ? join('', map { chr($_ * 7 % 256) } 0 .. $1 - 1) : $_;
  defined send($s, $bytes, 0, pack('S a*', 1, "$path\\0")) or die "$!\\n";
}`;

/** What `bytes:N` is sent as. */
export const oddBytes = (count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, index) => (index * 7) % 256));

/** The command that sends. A text `bytes:N` is sent as N bytes. */
export const sendCommand = (path: string, texts: readonly string[]): readonly string[] => [
  'perl',
  '-e',
  SEND,
  path,
  ...texts,
];

/** Sends from this machine; answers what went wrong, or nothing. Does not block: whoever receives may be this process. */
export const sendDatagrams = (path: string, ...texts: string[]): Promise<string> => {
  const [command = '', ...args] = sendCommand(path, texts);
  return new Promise((resolve) => execFile(command, args, (_, __, stderr) => resolve(stderr)));
};
