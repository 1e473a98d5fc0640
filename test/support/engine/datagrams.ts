// Sends unix datagrams, which Node cannot do, with plain perl without modules, so that it also runs in an image.
import { execFile } from 'node:child_process';

/**
 * Sends each text after the path as one datagram. `bytes:N` sends N bytes of all values, `file:PATH` sends the content
 * of the file.
 * The numbers are the Linux values of AF_UNIX and SOCK_DGRAM.
 */
export const sendProgram = `
my $path = shift; socket(my $s, 1, 2, 0) or die "$!";
for (@ARGV) {
  my $bytes = $_;
  $bytes = join('', map { chr($_ * 7 % 256) } 0 .. $1 - 1) if /^bytes:(\\d+)$/;
  $bytes = do { local $/; open(my $file, '<', $1) or die "$!"; <$file> } if /^file:(.*)/;
  defined send($s, $bytes, 0, pack('S a*', 1, "$path\\0")) or die "$!\\n";
}`;

/** The bytes that `bytes:N` sends. */
export const oddBytes = (count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, index) => (index * 7) % 256));

/**
 * Sends from this machine. Returns the error text, or an empty text. Does not block, because the receiver may be this
 * process.
 */
export const sendDatagrams = (path: string, ...texts: string[]): Promise<string> =>
  new Promise((resolve) => execFile('perl', ['-e', sendProgram, path, ...texts], (_, __, stderr) => resolve(stderr)));
