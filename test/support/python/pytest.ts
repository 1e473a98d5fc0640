import { spawnSync } from 'node:child_process';
import { requirement } from '../runner/requirements.ts';

const isInstalled = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;

export const pytestRequirement = requirement('python', isInstalled, 'python3 has no pytest; install python3-pytest');
