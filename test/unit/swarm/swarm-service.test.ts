// The service that a run becomes in a swarm.
import { expect, it } from 'vitest';
import { runService } from '../../../daemon/executor/swarm/service-spec.ts';
import { runSpec } from '../../ports/executor.suite.ts';

/** The variables of a service as Swarm passes them on, if every template is a quoted text. */
const variablesOf = (variables: Readonly<Record<string, string>>): unknown => {
  const service = runService({
    spec: runSpec('hello'),
    name: 'run',
    instanceId: 'i',
    image: 'hello',
    variables,
    delivered: { objects: [], empty: [], variables: {} },
    init: false,
    noNewPrivileges: false,
    stopGraceMs: 1,
  });
  const container: { Env?: string[] } = Object(Object(service.TaskTemplate).ContainerSpec);
  return container.Env?.map((each) => {
    expect(each.replace(/\{\{"\{\{"\}\}/g, '')).not.toContain('{{');
    return each.replace(/\{\{"([^"]*)"\}\}/g, '$1');
  });
};

it.each(['Hello {{name}}', '{{.Node.Hostname}}', '{{', '{{{x}}}', '{{{{"{{"}}}}{', '{{- "a" -}}', '{ {x} }'])(
  'a run gets the text %s as it was sent',
  (text) => {
    expect(variablesOf({ MSG: text, PLAIN: 'a' })).toEqual([`MSG=${text}`, 'PLAIN=a']);
  },
);
