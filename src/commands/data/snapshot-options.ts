// Options that the commands on data share.
import { flag } from '../framework/option.ts';

export const withKeys = flag('--with-keys', 'include the encryption key of secret configs');
