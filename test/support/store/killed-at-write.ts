// A daemon that kills itself with SIGKILL at a write that the test names. A test that watches the daemon and then kills it comes too late on
// a busy machine.
import { writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The environment of a program that dies when a text that it writes to a file or a pipe matches `what`.
 * @param folder holds the file that node loads first
 */
export const killedAtWrite = (
  folder: string,
  when: 'before' | 'after',
  what: RegExp,
): { readonly NODE_OPTIONS: string } => {
  const file = path.join(folder, 'killed-at-write.cjs');
  writeFileSync(
    file,
    `const fs = require('node:fs');
    const dieIf = (data) => {
      const text = typeof data === 'string' ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
      if (${what}.test(text)) process.kill(process.pid, 'SIGKILL');
    };
    const { writeSync } = fs;
    fs.writeSync = (fd, data, ...rest) => {
      ${when === 'before' ? 'dieIf(data); return writeSync(fd, data, ...rest);' : 'const written = writeSync(fd, data, ...rest); dieIf(data); return written;'}
    };
    const { open } = fs.promises;
    fs.promises.open = async (...args) => {
      const handle = await open(...args);
      const write = handle.write.bind(handle);
      handle.write = async (data, ...rest) => {
        ${when === 'before' ? 'dieIf(data); return write(data, ...rest);' : 'const written = await write(data, ...rest); dieIf(data); return written;'}
      };
      return handle;
    };`,
  );
  return { NODE_OPTIONS: `--require ${file}` };
};
