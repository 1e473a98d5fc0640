// The differences between the engines that serve Docker's API. Only this file names products.

export type NetworkSysctls = Readonly<Record<string, string>>;

export interface ProductFacts {
  /** True if a container must be initialized before its output can be attached to. */
  readonly initBeforeAttach: boolean;
  /** Text that the engine itself writes to stderr at the end of a broken attached stream. Absent if it writes none. */
  readonly attachFault?: RegExp;
  /** True if the bridge of a network and its gateway address exist only once a container has joined the network. */
  readonly bridgeNeedsContainer: boolean;
  /**
   * True if a container without its own process limit requests more processes per user than a restricted machine can
   * grant.
   */
  readonly needsProcessLimit: boolean;
  /** True if the engine reports that a killed container ran out of memory. */
  readonly reportsOutOfMemory: boolean;
  /**
   * True if the engine sends an event for each signal that it sends to a container, before the end that the signal
   * causes.
   */
  readonly reportsSignals: boolean;
  /** True if an engine process stays in the control group of a run longer than the container. */
  readonly keepsMonitor: boolean;
  /** The init program that the engine starts before a run, if the engine does not report whether it has one. */
  readonly initProgram?: string;
  /** Kernel settings that the network of a container needs. They are not available in a rootless engine. */
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
 * Podman's bridge uses the lowest MAC address of its ports, so the gateway's address changes as containers are added
 * and removed, and other containers send to the old one for up to two minutes. With these settings, a container asks
 * again after about three seconds.
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
 * Podman's error messages, with status 500, for an image that exists while other images are added or removed, and for a
 * container whose process ends during its inspection.
 * @see https://github.com/containers/podman/issues/17515
 */
export const CHANGING = /image not known|no such process/;

/** The first Podman version that reports whether a container ran out of memory. */
const PODMAN_REPORTS_OUT_OF_MEMORY = 5;

/** The product, from the name of the first component in the engine's response to `/version`. */
export const productOf = (component: unknown, version: string): Product => ({
  name: typeof component === 'string' && /podman/i.test(component) ? 'Podman' : 'Docker',
  version,
});

export const factsOfProduct = ({ name, version }: Product): ProductFacts =>
  name === 'Docker'
    ? DOCKER
    : { ...PODMAN, reportsOutOfMemory: Number.parseInt(version, 10) >= PODMAN_REPORTS_OUT_OF_MEMORY };
