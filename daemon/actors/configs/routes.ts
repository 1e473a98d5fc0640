// Handlers of configs: create, list, show, update, delete.
import { jsonMember } from '../../../src/contract/json-scanner.ts';
import type { InputOf, ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { toWireTime } from '../../../src/contract/wire.ts';
import { Failure } from '../../domain/failure.ts';
import type { ConfigRecord } from '../../domain/records/resource-records.ts';
import { expectedVersion } from '../../http/request/if-match.ts';
import { JsonText } from '../../http/response/json-text.ts';
import type { Handlers } from '../../http/route-handler.ts';
import type { ActorsDependencies } from '../dependencies.ts';
import { configs, type Description } from './service.ts';

type ConfigOperation = 'configs.create' | 'configs.list' | 'configs.show' | 'configs.update' | 'configs.delete';

const view = (config: ConfigRecord): ResultOf<Operations['configs.show']> => ({
  name: config.name,
  value: config.isSecret ? config.value : new JsonText(config.value),
  actors: config.actors,
  isSecret: config.isSecret,
  is_secret: config.isSecret,
  owner: config.owner,
  revision: config.revision,
  createTime: toWireTime(config.createdAt),
  lastUpdateTime: toWireTime(config.updatedAt),
});

/** True if the request contains a value. JSON null counts as a value. */
const descriptionOf = (input: InputOf<Operations['configs.create']>, body: string | undefined): Description => {
  // A form field is text, so the value becomes a JSON string.
  const valueText = body === undefined ? JSON.stringify(input.value) : jsonMember(body, 'value');
  if (valueText === undefined) throw new Failure('VALIDATION', 'value is required.', { field: 'value' });
  return { ...input, valueText, value: input.value };
};

/** @see docs/http-api.md#configs */
export const configsHandlers = (deps: ActorsDependencies): Handlers<ConfigOperation> => {
  const service = configs(deps);
  return {
    'configs.create': async ({ caller, input, bodyText }) => ({
      result: view(await service.create(caller, descriptionOf(input, bodyText()))),
      message: 'Config created.',
    }),

    'configs.list': ({ caller }) => ({ result: service.list(caller).map(view), message: 'Configs retrieved.' }),

    'configs.show': ({ config }) => ({ result: view(config), message: 'Config retrieved.' }),

    'configs.update': async ({ caller, config, input, bodyText, request }) => ({
      result: view(
        await service.replace(caller, config.name, descriptionOf(input, bodyText()), expectedVersion(request)),
      ),
      message: 'Config replaced.',
    }),

    'configs.delete': async ({ caller, config }) => {
      await service.remove(caller, config.name);
      return { result: null, message: 'Config deleted.' };
    },
  };
};
