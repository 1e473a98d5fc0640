// Converts reactor.rc, project.ini and secrets.json of the Abaco tools to fields of actorctl.json.

import { exactText } from '../../../contract/exact-json.ts';
import { usage } from '../../../failure.ts';
import { parseWrittenData } from '../../../local/written-json.ts';

export interface AbacoProject {
  readonly project: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Names of settings that actorctl has no equivalent for. */
  readonly left: readonly string[];
}

/** Parses `KEY=value` lines of a shell file, without the quotes around values. */
const shellFields = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)=(?:"([^"]*)"|'([^']*)'|([^\s#]*))/gm)].map(
      ([, key = '', double, single, plain]) => [key, double ?? single ?? plain ?? ''],
    ),
  );

/** Parses `key = value` lines of an ini file. The keys become `section.key`. */
const iniFields = (text: string): Readonly<Record<string, string>> => {
  const fields: Record<string, string> = {};
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const title = /^\s*\[([^\]]+)\]/.exec(line)?.[1];
    const [, key, value] = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (title !== undefined) section = title.trim();
    else if (key !== undefined) fields[`${section}.${key}`] = value ?? '';
  }
  return fields;
};

const isTrue = (text: string | undefined): boolean => /^(?:1|true|yes|on)$/i.test(text ?? '');

const imageOf = (organisation: string | undefined, name: string | undefined, version: string | undefined) =>
  name ? { image: `${organisation ? `${organisation}/` : ''}${name}${version ? `:${version}` : ''}` } : {};

const compact = (record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined && value !== ''));

const secretsOf = (text: string): Readonly<Record<string, string>> => {
  const value = parseWrittenData(text, 'secrets.json');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usage('secrets.json must hold an object');
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, typeof each === 'string' ? each : (exactText(each) ?? '')]),
  );
};

const usedKeys = new Set([
  'REACTOR_NAME',
  'REACTOR_DESCRIPTION',
  'REACTOR_ALIAS',
  'REACTOR_STATEFUL',
  'REACTOR_STATELESS',
  'REACTOR_WORKERS',
  'DOCKER_HUB_ORG',
  'DOCKER_IMAGE_TAG',
  'DOCKER_IMAGE_VERSION',
  'DOCKERFILE',
  'actor.name',
  'actor.description',
  'actor.alias',
  'actor.stateful',
  'actor.stateless',
  'actor.workers',
  'docker.namespace',
  'docker.organization',
  'docker.repo',
  'docker.tag',
  'docker.dockerfile',
]);

/** Converts the files that exist. If several define a field, reactor.rc takes precedence. */
export const readAbacoProject = (files: {
  readonly reactor?: string | undefined;
  readonly ini?: string | undefined;
  readonly secrets?: string | undefined;
}): AbacoProject => {
  const shell = shellFields(files.reactor ?? '');
  const ini = iniFields(files.ini ?? '');
  const of = (key: string, ...others: readonly string[]): string | undefined =>
    [shell[key], ...others.map((each) => ini[each])].find((value) => value !== undefined && value !== '');
  const workers = Number(of('REACTOR_WORKERS', 'actor.workers'));
  const stateless = of('REACTOR_STATELESS', 'actor.stateless');
  const stateful = isTrue(of('REACTOR_STATEFUL', 'actor.stateful')) || (stateless !== undefined && !isTrue(stateless));
  const dockerfile = of('DOCKERFILE', 'docker.dockerfile');
  const secrets = secretsOf(files.secrets ?? '{}');
  return {
    project: compact({
      name: of('REACTOR_NAME', 'actor.name'),
      description: of('REACTOR_DESCRIPTION', 'actor.description'),
      alias: of('REACTOR_ALIAS', 'actor.alias'),
      ...imageOf(
        of('DOCKER_HUB_ORG', 'docker.namespace', 'docker.organization'),
        of('DOCKER_IMAGE_TAG', 'docker.repo'),
        of('DOCKER_IMAGE_VERSION', 'docker.tag'),
      ),
      ...(dockerfile !== undefined && dockerfile !== 'Dockerfile' && { build: { dockerfile } }),
      ...(stateful && { stateless: false }),
      // The program of such a project was written for the hosted platform.
      dialect: 'legacy',
      ...(Number.isInteger(workers) && workers > 0 && { workers }),
      ...(Object.keys(secrets).length > 0 && { env_file: '.env' }),
    }),
    secrets,
    left: [...Object.keys(shell), ...Object.keys(ini)].filter((key) => !usedKeys.has(key)),
  };
};
