// The settings of a command for the daemon of its instance, whatever service the context names.
import { accountOfInstance, type Settings } from './settings.ts';

export const forOwnDaemon = ({
  baseUrl: _address,
  authUrl: _authAddress,
  tenant: _tenant,
  loginClient: _client,
  ...settings
}: Settings): Settings => ({ ...settings, context: 'local', account: accountOfInstance(settings.instance) });
