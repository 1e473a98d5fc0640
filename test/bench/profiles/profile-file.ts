// The profile that V8 writes at the end of a process.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Profile } from './shares.ts';

/** The flags of Node with which a process writes its profile into a folder. */
export const profiling = (folder: string): readonly string[] => [
  '--cpu-prof',
  '--cpu-prof-interval',
  '200',
  '--cpu-prof-dir',
  folder,
];

/** The profile of the main thread in a folder. @throws Error if there is none */
export const profileIn = (folder: string): Profile => {
  // CPU.DATE.TIME.PROCESS.THREAD.NUMBER.cpuprofile
  const name = readdirSync(folder).find((each) => /\.0\.\d+\.cpuprofile$/.test(each));
  if (name === undefined) throw new Error(`there is no profile in ${folder}`);
  return JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Profile;
};
