// Creates a container or a service in the engine.
import type Dockerode from 'dockerode';
import { readField } from '../read-field.ts';

export interface Made {
  readonly id: string;
  /** What the engine reports about options that have no effect. */
  readonly warnings: readonly string[];
}

/** The library's own methods drop the warnings of the engine. The library's types lack this method. */
export const createObject = (
  docker: Dockerode,
  path: '/containers/create?' | '/services/create',
  request: {
    readonly options: object;
    readonly authconfig?: Readonly<Record<string, unknown>> | undefined;
    readonly abortSignal: AbortSignal;
  },
): Promise<Made> =>
  new Promise((resolve, reject) => {
    const statusCodes = { 200: true, 201: true };
    docker.modem.dial({ ...request, path, method: 'POST', statusCodes }, (error, data) => {
      if (error) return reject(error);
      const warnings = readField(data, 'Warnings');
      resolve({
        id: String(readField(data, 'Id') ?? readField(data, 'ID')),
        warnings: Array.isArray(warnings) ? warnings.filter((each) => typeof each === 'string') : [],
      });
    });
  });

/**
 * Sends the options only in the body: the client library would repeat them in the URL, where variables could be logged.
 */
export const createContainer = (
  docker: Dockerode,
  { name, ...body }: Dockerode.ContainerCreateOptions,
  abortSignal: AbortSignal,
): Promise<Made> =>
  createObject(docker, '/containers/create?', { options: { _query: { name }, _body: body }, abortSignal });
