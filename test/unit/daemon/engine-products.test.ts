// What is known of the engines that serve Docker's API, and what `status` says they lack.
import { describe, expect, it } from 'vitest';
import { limitationsOf } from '../../../daemon/executor/engine/limitations.ts';
import { factsOfProduct, productOf } from '../../../daemon/executor/engine/products.ts';

const facts = (component: string, version: string) => factsOfProduct(productOf(component, version));

describe('an engine', () => {
  it('is Podman if its first component says so, else Docker', () => {
    expect(productOf('Podman Engine', '5.2.1')).toEqual({ name: 'Podman', version: '5.2.1' });
    for (const other of ['Engine', undefined, 7]) expect(productOf(other, '27').name).toBe('Docker');
  });

  it('reports that a container ran out of memory: Docker always, Podman from version 5', () => {
    expect(facts('Engine', '20.10.24').reportsOutOfMemory).toBe(true);
    expect(facts('Podman Engine', '4.3.1').reportsOutOfMemory).toBe(false);
    expect(facts('Podman Engine', '5.0.0').reportsOutOfMemory).toBe(true);
    expect(facts('Podman Engine', '10.1').reportsOutOfMemory).toBe(true);
  });
});

describe('the limitations of an engine', () => {
  const shared = { sameHost: true, cgroupDriver: 'cgroupfs', limitsResources: true, reachesBack: true, init: true };

  it('are none for a fully configured Docker', () => {
    expect(limitationsOf({ ...facts('Engine', '27'), ...shared })).toEqual([]);
    expect(limitationsOf(facts('Engine', '27'))).toEqual([]);
  });

  it('name the open network of Podman where the daemon does not isolate the ports of its bridge', () => {
    const podman = facts('Podman Engine', '5.0.0');
    const limitation = 'actors of an instance reach each other over the network';
    expect(limitationsOf({ ...podman, isolatesPorts: false })).toEqual([limitation]);
    expect(limitationsOf({ ...podman, isolatesPorts: true })).toEqual([]);
  });

  it.each([
    [{ limitsResources: false }, 'limits of memory and processes have no effect'],
    [{ reachesBack: false }, 'actors do not reach the API of the daemon'],
    [{ withoutFiles: 'of a label' }, 'results are sent over HTTP only: of a label'],
    [{ init: false }, 'containers have no init process, so a halt of a shell waits for its grace period'],
  ])('name what %j means', (lacking, text) => {
    expect(limitationsOf({ ...facts('Engine', '27'), ...shared, ...lacking })).toEqual([text]);
  });

  it('name a missing reason out_of_memory only if control groups do not report it either', () => {
    const limitation = expect.stringContaining('ran out of memory');
    const podman = { ...facts('Podman Engine', '4.3.1'), ...shared };
    expect(limitationsOf(podman)).not.toContainEqual(limitation);
    expect(limitationsOf({ ...podman, cgroupDriver: 'systemd' })).toContainEqual(limitation);
    expect(limitationsOf({ ...podman, sameHost: false })).toContainEqual(limitation);
    expect(limitationsOf({ ...podman, reportsOutOfMemory: true, sameHost: false })).not.toContainEqual(limitation);
  });
});
