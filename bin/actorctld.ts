#!/usr/bin/env node
// Entry point of the daemon.
import path from 'node:path';
import type * as daemon from '../daemon/main.ts';
import { loadProgram } from './code-cache.ts';

const { exports, keepCompiled } = loadProgram(path.join(import.meta.dirname, 'daemon', 'main.cjs'));
void (exports as typeof daemon).runDaemon(process.argv.slice(2), process.env, {
  onReady: () => keepCompiled('start'),
});
