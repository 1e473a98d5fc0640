#!/usr/bin/env node
// Entry point of the command line.
import { main } from '../src/main.ts';

void main(process.argv.slice(2));
