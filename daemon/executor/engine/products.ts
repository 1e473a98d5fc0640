// What differs between the engines that serve Docker's API. This is the only place that names a product.

export type NetworkSysctls = Readonly<Record<string, string>>;

export interface ProductFacts {
  /** A container has to be initialized before its output can be attached to. */
  readonly initBeforeAttach: boolean;
  /** What the engine itself writes to stderr at the end of an attached stream that breaks; absent: nothing. */
  readonly attachFault?: RegExp;
  /** The bridge of a network, and its gateway address, exist from the first container that joins it. */
  readonly bridgeNeedsContainer: boolean;
  /** Without a limit of its own, a container asks for more processes per user than a restricted machine can grant. */
  readonly needsProcessLimit: boolean;
  /** The engine says of a killed container that it ran out of memory. */
  readonly reportsOutOfMemory: boolean;
  /** The engine sends an event of each signal that it sends to a container, before the end that the signal causes. */
  readonly reportsSignals: boolean;
  /** A process of the engine for each container stays in the control group of the run, longer than the container. */
  readonly keepsMonitor: boolean;
  /** The program that the engine puts in front of a run, if the engine does not report whether it has one. */
  readonly initProgram?: string;
  /** What the network of a container needs, where the kernel allows settings: not in an engine without root. */
  readonly networkSysctls?: NetworkSysctls;
  readonly separatesContainers: boolean;
}

export type ProductName = 'Docker' | 'Podman';

export interface Product {
  readonly name: ProductName;
  readonly version: string;
}

const DOCKER: ProductFacts = {
  initBeforeAttach: false,
  bridgeNeedsContainer: false,
  needsProcessLimit: false,
  reportsOutOfMemory: true,
  reportsSignals: true,
  keepsMonitor: false,
  separatesContainers: true,
};

/**
 * Podman's bridge takes the lowest MAC address of its ports, so the gateway's address changes while containers come and
 * go, and the others send to the old one for up to two minutes. With these settings a container asks again after about
 * three seconds.
 * @see https://github.com/containers/netavark/pull/833
 */
const SHORT_ARP: NetworkSysctls = Object.fromEntries(
  Object.entries({
    base_reachable_time_ms: '1000',
    delay_first_probe_time: '1',
    ucast_solicit: '1',
    mcast_resolicit: '3',
  }).map(([name, value]) => [`net.ipv4.neigh.eth0.${name}`, value]),
);

const PODMAN: ProductFacts = {
  initBeforeAttach: true,
  attachFault: /^Error: read unixpacket [^\n]*\n$/,
  bridgeNeedsContainer: true,
  needsProcessLimit: true,
  reportsOutOfMemory: true,
  reportsSignals: false,
  keepsMonitor: true,
  initProgram: '/usr/libexec/podman/catatonit',
  networkSysctls: SHORT_ARP,
  separatesContainers: false,
};

/**
 * What Podman says, with status 500, of an image that it has while others are added or removed, and of a container whose
 * process ends while it is inspected.
 * @see https://github.com/containers/podman/issues/17515
 */
export const CHANGING = /image not known|no such process/;

/** The first version of Podman that says whether a container ran out of memory. */
const PODMAN_REPORTS_OUT_OF_MEMORY = 5;

/** The product, from the name of the first component in the engine's answer to `/version`. */
export const productOf = (component: unknown, version: string): Product => ({
  name: typeof component === 'string' && /podman/i.test(component) ? 'Podman' : 'Docker',
  version,
});

export const factsOfProduct = ({ name, version }: Product): ProductFacts =>
  name === 'Docker'
    ? DOCKER
    : { ...PODMAN, reportsOutOfMemory: Number.parseInt(version, 10) >= PODMAN_REPORTS_OUT_OF_MEMORY };
