// Preloaded by a test: counts the files of the program and the modules of Node that a command loads, and writes the
// numbers to file descriptor 3 at the end.
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');

const folder = path.dirname(path.resolve(process.argv[1]));
const before = process.moduleLoadList.length;

// The program's own loader opens its files with this function. Node's does not.
const opened = new Set();
const { openSync } = fs;
fs.openSync = (file, ...rest) => {
  if (String(file).startsWith(folder) && file.endsWith('.cjs')) opened.add(file);
  return openSync(file, ...rest);
};

process.once('exit', () => {
  const own = Object.keys(Module._cache).filter((file) => file.startsWith(folder));
  const files = [...new Set([...own, ...opened])];
  const bytes = files.reduce((sum, file) => sum + fs.statSync(file).size, 0);
  const modules = process.moduleLoadList.slice(before).filter((name) => name.startsWith('NativeModule ')).length;
  fs.writeSync(3, JSON.stringify({ files: files.length, kilobytes: Math.ceil(bytes / 1000), modules }));
});
