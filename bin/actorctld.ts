#!/usr/bin/env node
// The door of the daemon.
import { runDaemon } from '../daemon/main.ts';

await runDaemon(process.argv.slice(2), process.env);
