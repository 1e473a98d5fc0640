// The labels by which the containers, networks and images of an instance are found again.

export const INSTANCE_LABEL = 'actorctl.instance';
export const ACTOR_LABEL = 'actorctl.actor';
export const EXECUTION_LABEL = 'actorctl.execution';
export const WORKER_LABEL = 'actorctl.worker';
/** Bytes that the container may write to its own files, so that a later daemon knows the limit too. */
export const DISK_LABEL = 'actorctl.disk-limit';
/** `run` for the container of an execution, `pause` for a network container, `check` for one that never runs. */
export const KIND_LABEL = 'actorctl.kind';
/**
 * On images, separated by spaces: id of the instance that built it, or `temporary`; the name that it was built under; the
 * folder that it was built for. It is one label, because Podman adds several in any order, and with another order it takes no step from its cache.
 */
export const BUILT_LABEL = 'actorctl.built';
/** On networks of a temporary instance, whose images stay while it is there. */
export const TEMPORARY_LABEL = 'actorctl.temporary';
