// The program of the spawner, in Python. Python starts a process without a copy of its own address space (vfork), which
// Node.js cannot (ADR 29). Orders come on stdin, one JSON object per line: `{id, command, folder, environment}` starts a
// process in a session of its own, `{id, abandon: true}` closes its pipes. Frames go to stdout, in the form of
// `frames.ts`. Kinds: `r` the spawner is ready, `s` a process was started and its pid, `e` it was not started, `1` and
// `2` output, `x` it has ended and its exit code or its signal as a negative number, `c` it has ended and its pipes are
// closed. When stdin ends, the program kills the processes and ends.

const PYTHON = `
import json, os, selectors, signal, struct, subprocess, sys
runs, frames, orders = {}, [], b''
ready = selectors.DefaultSelector()
ready.register(0, selectors.EVENT_READ, 'orders')
ended, end = os.pipe()
for side in (ended, end):
    os.set_blocking(side, False)
ready.register(ended, selectors.EVENT_READ, 'ends')
signal.signal(signal.SIGCHLD, lambda *_: None)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
signal.set_wakeup_fd(end, warn_on_full_buffer=False)

def tell_of(kind, run, data=b''):
    frames.append(struct.pack('>cBI', kind, len(run), len(data)) + run + data)

def send():
    data = b''.join(frames)
    frames.clear()
    while data:
        data = data[os.write(1, data):]

def program_of(name, folder, path):
    if b'/' in name:
        return name
    for place in path.split(b':'):
        file = os.path.join(folder, place, name)
        if os.path.isfile(file) and os.access(file, os.X_OK):
            return file
    raise FileNotFoundError

def start(run, order):
    try:
        command = [word.encode() for word in order['command']]
        folder = order['folder'].encode()
        environment = {name.encode(): value.encode() for name, value in order['environment'].items()}
        child = subprocess.Popen(
            command, executable=program_of(command[0], folder, environment[b'PATH']), cwd=folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            bufsize=0, start_new_session=True)
    except Exception:
        return tell_of(b'e', run)
    runs[run] = child
    for kind, pipe in ((b'1', child.stdout), (b'2', child.stderr)):
        os.set_blocking(pipe.fileno(), False)
        ready.register(pipe, selectors.EVENT_READ, (kind, run))
    tell_of(b's', run, b'%d' % child.pid)

def close(pipe):
    if not pipe.closed:
        ready.unregister(pipe)
        pipe.close()

def forget_if_over(run):
    child = runs.get(run)
    if child and child.returncode is not None and child.stdout.closed and child.stderr.closed:
        del runs[run]
        tell_of(b'c', run)

def obey(order):
    run = b'%d' % order['id']
    if 'command' in order:
        start(run, order)
    elif run in runs:
        for kind, pipe in ((b'1', runs[run].stdout), (b'2', runs[run].stderr)):
            # What is in it: another process may go on to write.
            for _ in range(16):
                if not pass_on(pipe, kind, run):
                    break
            close(pipe)
        forget_if_over(run)

def pass_on(pipe, kind, run):
    if pipe.closed:
        return False
    try:
        data = os.read(pipe.fileno(), 65536)
    except BlockingIOError:
        return False
    if data:
        tell_of(kind, run, data)
        return True
    close(pipe)
    forget_if_over(run)
    return False

def kill(child):
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except OSError:
        pass

def reap():
    os.read(ended, 4096)
    for run, child in list(runs.items()):
        if child.returncode is None and os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            # The rest of its group, before another process can have its number.
            kill(child)
            child.wait()
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
        if child.returncode is None:
            kill(child)
`;

/** The command that starts the spawner. */
export const spawnerCommand = ['python3', '-I', '-S', '-c', PYTHON] as const;
