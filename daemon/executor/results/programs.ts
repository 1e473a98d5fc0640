// The receiver's program in Perl and in Python, one of which most machines have, because Node.js has no unix datagram
// sockets. Requests come on stdin, one per line: `open ID NAME`, `flush ID`, `close ID`. The daemon deletes the file of a
// socket. Frames go to stdout: a letter for the kind, one byte with the length of the id, four bytes with the length of
// the content (big endian), the id, the content. Kinds: `r` the receiver is ready, `o` a socket is open, `e` a socket
// cannot be opened and why, `d` a datagram, `f` all datagrams so far are sent. Sockets have mode 0600. The program ends
// when its stdin ends.

/** One byte more than the largest result, so that a larger one is detected. */
const ROOM = 131_073;

const PERL = `
use strict; use warnings; use Socket qw(AF_UNIX SOCK_DGRAM MSG_DONTWAIT sockaddr_un);
my %sockets; my $orders = '';
binmode STDIN; binmode STDOUT; umask 0177;
sub tell_of {
  my ($kind, $id, $bytes) = @_;
  my $frame = pack('a1 C N', $kind, length $id, length $bytes) . $id . $bytes;
  my $at = 0;
  while ($at < length $frame) {
    my $written = syswrite(STDOUT, $frame, length($frame) - $at, $at);
    if (defined $written) { $at += $written } elsif (!$!{EINTR}) { exit 0 }
  }
}
sub take {
  my ($id, $most) = @_;
  while ($most-- > 0) {
    my $bytes = '';
    last unless defined recv($sockets{$id}, $bytes, ${ROOM}, MSG_DONTWAIT);
    tell_of('d', $id, $bytes) if length $bytes;
  }
}
sub obey {
  my ($verb, $id, $path) = @_;
  if ($verb eq 'open') {
    unlink $path;
    my $socket;
    my $made = socket($socket, AF_UNIX, SOCK_DGRAM, 0) && bind($socket, sockaddr_un($path));
    return tell_of('e', $id, "$!") unless $made;
    $sockets{$id} = $socket;
    tell_of('o', $id, '');
  } elsif ($verb eq 'flush') {
    take($id, 10_000) if $sockets{$id};
    tell_of('f', $id, '');
  } elsif ($verb eq 'close' && $sockets{$id}) {
    close(delete $sockets{$id});
  }
}
tell_of('r', '', '');
while (1) {
  my $ready = '';
  vec($ready, fileno($_), 1) = 1 for (\\*STDIN, values %sockets);
  next if select($ready, undef, undef, undef) < 0;
  for my $id (keys %sockets) { take($id, 1) if vec($ready, fileno($sockets{$id}), 1) }
  next unless vec($ready, fileno(STDIN), 1);
  my $got = sysread(STDIN, $orders, 65_536, length $orders);
  exit 0 unless $got;
  while ($orders =~ s/^([^\\n]*)\\n//) { obey(split / /, $1, 3) }
}
`;

const PYTHON = `
import os, selectors, socket, struct
os.umask(0o177)
sockets, orders = {}, b''
ready = selectors.DefaultSelector()
ready.register(0, selectors.EVENT_READ, None)

def tell_of(kind, name, data):
    frame = struct.pack('>cBI', kind, len(name), len(data)) + name + data
    while frame:
        frame = frame[os.write(1, frame):]

def take(name, most):
    for _ in range(most):
        try:
            data = sockets[name].recv(${ROOM})
        except OSError:
            return
        if data:
            tell_of(b'd', name, data)

def obey(verb, name, path=b''):
    if verb == b'open':
        try:
            if os.path.lexists(path):
                os.unlink(path)
            made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            made.setblocking(False)
            made.bind(path)
        except OSError as error:
            return tell_of(b'e', name, str(error).encode())
        sockets[name] = made
        ready.register(made, selectors.EVENT_READ, name)
        tell_of(b'o', name, b'')
    elif verb == b'flush':
        if name in sockets:
            take(name, 10000)
        tell_of(b'f', name, b'')
    elif verb == b'close' and name in sockets:
        ready.unregister(sockets[name])
        sockets.pop(name).close()

tell_of(b'r', b'', b'')
while True:
    asked = False
    for key, _ in ready.select():
        if key.data is None:
            asked = True
        elif key.data in sockets:
            take(key.data, 1)
    if asked:
        got = os.read(0, 65536)
        if not got:
            break
        *lines, orders = (orders + got).split(b'\\n')
        for line in lines:
            obey(*line.split(b' ', 2))
`;

export interface ReceiverProgram {
  readonly command: string;
  readonly args: readonly string[];
}

export const receiverPrograms: readonly ReceiverProgram[] = [
  { command: 'perl', args: ['-e', PERL] },
  { command: 'python3', args: ['-I', '-S', '-c', PYTHON] },
];
