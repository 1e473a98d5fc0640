// Options that the commands on data share.
import { flag } from '../kernel/option.ts';

export const withKeys = flag('--with-keys', 'include the key that opens secret configs');
