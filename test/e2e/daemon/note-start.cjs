// Loaded before the built daemon (node --require): writes what a run loaded and started to the file NOTES at its exit.
const fs = require('node:fs');
const vm = require('node:vm');
const childProcess = require('node:child_process');
const { syncBuiltinESMExports } = require('node:module');

const compiled = [];
const children = [];
const { Script } = vm;
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options);
    compiled.push({ file: options.filename, bytes: source.length, cached: this.cachedDataRejected === false });
  }
};
const { spawn } = childProcess;
childProcess.spawn = (file, ...rest) => {
  children.push(file);
  return spawn(file, ...rest);
};
syncBuiltinESMExports();
process.on('exit', () => fs.writeFileSync(process.env.NOTES, JSON.stringify({ compiled, children })));
