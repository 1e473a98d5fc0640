// Preloaded by a test: counts the files of the program and the modules of Node that a command loads, and writes the
// numbers to file descriptor 3 at the end.
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');

const folder = path.dirname(path.resolve(process.argv[1]));
const before = process.moduleLoadList.length;

process.once('exit', () => {
  const files = Object.keys(Module._cache).filter((file) => file.startsWith(folder));
  const bytes = files.reduce((sum, file) => sum + fs.statSync(file).size, 0);
  const modules = process.moduleLoadList.slice(before).filter((name) => name.startsWith('NativeModule ')).length;
  fs.writeSync(3, JSON.stringify({ files: files.length, kilobytes: Math.ceil(bytes / 1000), modules }));
});
