// Sends unix datagrams, which Node cannot: by perl, with nothing but its own words, so that it runs in an image as well.
import { execFile } from 'node:child_process';

/**
 * Sends each text behind the path as one datagram; of `bytes:N` N bytes of every kind, of `file:PATH` what stands there.
 * The numbers are those of Linux: AF_UNIX, SOCK_DGRAM.
 */
export const sendProgram = `
my $path = shift; socket(my $s, 1, 2, 0) or die "$!";
for (@ARGV) {
  my $bytes = $_;
  $bytes = join('', map { chr($_ * 7 % 256) } 0 .. $1 - 1) if /^bytes:(\\d+)$/;
  $bytes = do { local $/; open(my $file, '<', $1) or die "$!"; <$file> } if /^file:(.*)/;
  defined send($s, $bytes, 0, pack('S a*', 1, "$path\\0")) or die "$!\\n";
}`;

/** What `bytes:N` is sent as. */
export const oddBytes = (count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, index) => (index * 7) % 256));

/** Sends from this machine; answers what went wrong, or nothing. Does not block: whoever receives may be this process. */
export const sendDatagrams = (path: string, ...texts: string[]): Promise<string> =>
  new Promise((resolve) => execFile('perl', ['-e', sendProgram, path, ...texts], (_, __, stderr) => resolve(stderr)));
