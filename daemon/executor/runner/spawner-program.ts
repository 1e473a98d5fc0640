// The program of the spawner, in Python. Python starts a process without a copy of its own address space (vfork), which
// Node.js cannot (ADR 29). Orders come on stdin, one JSON object per line: `{id, command, folder, environment}` starts a
// process in a session of its own, `{id, abandon: true}` closes its pipes. Frames go to stdout, in the form of
// `frames.ts`. Kinds: `r` the spawner is ready, `s` a process was started and its pid, `e` it was not started, `1` and
// `2` output, `x` it has ended and its exit code or its signal as a negative number, `c` it has ended and its pipes are
// closed. When stdin ends, the program kills the processes and ends.

const PYTHON = `
import json, os, selectors, signal, struct, subprocess
runs, frames, orders = {}, [], b''
ready = selectors.DefaultSelector()
ready.register(0, selectors.EVENT_READ, 'orders')
ended, end = os.pipe()
for side in (ended, end):
    os.set_blocking(side, False)
ready.register(ended, selectors.EVENT_READ, 'ends')
signal.signal(signal.SIGCHLD, lambda *_: None)
signal.set_wakeup_fd(end, warn_on_full_buffer=False)

def tell_of(kind, run, data=b''):
    frames.append(struct.pack('>cBI', kind, len(run), len(data)) + run + data)

def send():
    data = b''.join(frames)
    frames.clear()
    while data:
        data = data[os.write(1, data):]

def start(run, order):
    try:
        child = subprocess.Popen(
            [word.encode() for word in order['command']],
            cwd=order['folder'].encode(),
            env={name.encode(): value.encode() for name, value in order['environment'].items()},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            bufsize=0, start_new_session=True)
    except Exception:
        return tell_of(b'e', run)
    runs[run] = child
    for kind, pipe in ((b'1', child.stdout), (b'2', child.stderr)):
        ready.register(pipe, selectors.EVENT_READ, (kind, run))
    tell_of(b's', run, b'%d' % child.pid)

def close(pipe):
    if not pipe.closed:
        ready.unregister(pipe)
        pipe.close()

def forget_if_over(run):
    child = runs[run]
    if child.returncode is not None and child.stdout.closed and child.stderr.closed:
        del runs[run]
        tell_of(b'c', run)

def obey(order):
    run = b'%d' % order['id']
    if 'command' in order:
        start(run, order)
    elif run in runs:
        close(runs[run].stdout)
        close(runs[run].stderr)
        forget_if_over(run)

def pass_on(pipe, kind, run):
    if pipe.closed:
        return
    data = os.read(pipe.fileno(), 65536)
    if data:
        return tell_of(kind, run, data)
    close(pipe)
    forget_if_over(run)

def reap():
    os.read(ended, 4096)
    for run, child in list(runs.items()):
        if child.returncode is None and child.poll() is not None:
            tell_of(b'x', run, b'%d' % child.returncode)
            forget_if_over(run)

def read_orders():
    global orders
    got = os.read(0, 65536)
    *lines, orders = (orders + got).split(b'\\n')
    for line in lines:
        obey(json.loads(line))
    return got

def serve():
    tell_of(b'r', b'')
    while True:
        send()
        for key, _ in ready.select():
            if key.data == 'ends':
                reap()
            elif key.data != 'orders':
                pass_on(key.fileobj, *key.data)
            elif not read_orders():
                return

try:
    serve()
except OSError:
    pass
finally:
    for child in runs.values():
        try:
            if child.returncode is None:
                os.killpg(child.pid, signal.SIGKILL)
        except OSError:
            pass
`;

/** The command that starts the spawner. */
export const spawnerCommand = ['python3', '-I', '-S', '-c', PYTHON] as const;
