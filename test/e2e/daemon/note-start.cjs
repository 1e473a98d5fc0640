// Loaded before the built daemon (node --require): writes what a run loaded and started to the file NOTES at its exit.
const fs = require('node:fs');
const childProcess = require('node:child_process');
const Module = require('node:module');

const children = [];
const { spawn } = childProcess;
childProcess.spawn = (file, ...rest) => {
  children.push(file);
  return spawn(file, ...rest);
};
Module.syncBuiltinESMExports();
process.on('exit', () => {
  const files = Object.keys(Module._cache).filter((file) => file.includes('/dist/'));
  const loaded = files.map((file) => ({ file, bytes: fs.statSync(file).size }));
  fs.writeFileSync(process.env.NOTES, JSON.stringify({ loaded, children }));
});
