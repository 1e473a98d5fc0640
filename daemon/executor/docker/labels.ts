// The labels that identify the containers, networks and images of an instance.

export const INSTANCE_LABEL = 'actorctl.instance';
export const ACTOR_LABEL = 'actorctl.actor';
export const EXECUTION_LABEL = 'actorctl.execution';
export const WORKER_LABEL = 'actorctl.worker';
/** The disk limit of the container in bytes, so that a later daemon knows it too. */
export const DISK_LABEL = 'actorctl.disk-limit';
/**
 * `run` for the container of an execution, `pause` for a network container, `check` for a container that is never
 * started.
 */
export const KIND_LABEL = 'actorctl.kind';
/**
 * On images: the id of the instance that built the image (or `temporary`), the name under which it was built, and the
 * folder for which it was built, separated by spaces. They share one label, because Podman adds several labels in any
 * order and takes no step from its cache if the order differs.
 */
export const BUILT_LABEL = 'actorctl.built';
/** On networks of a temporary instance, whose images are not pruned while the network exists. */
export const TEMPORARY_LABEL = 'actorctl.temporary';
