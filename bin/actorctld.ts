#!/usr/bin/env node
// Entry point of the daemon.
import './node-version.ts';
import { createRequire } from 'node:module';
import type * as daemon from '../daemon/main.ts';
import { keepCompiled } from '../src/local/compile-cache.ts';

keepCompiled(process.env);
const { runDaemon } = createRequire(import.meta.url)('./daemon/main.cjs') as typeof daemon;
void runDaemon(process.argv.slice(2), process.env);
