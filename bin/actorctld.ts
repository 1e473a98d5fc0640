#!/usr/bin/env node
// Entry point of the daemon.
import { runDaemon } from '../daemon/main.ts';

await runDaemon(process.argv.slice(2), process.env);
