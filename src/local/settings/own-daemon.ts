// The settings of a command for the local daemon of its instance, even if the context names another service.
import { accountOfInstance, type Settings } from './settings.ts';

export const forOwnDaemon = ({
  baseUrl: _address,
  authUrl: _authAddress,
  tenant: _tenant,
  loginClient: _client,
  ...settings
}: Settings): Settings => ({ ...settings, context: 'local', account: accountOfInstance(settings.instance) });
