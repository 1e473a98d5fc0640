// The labels by which the containers and networks of an instance are found again, and by nothing else.

export const INSTANCE_LABEL = 'actorctl.instance';
export const ACTOR_LABEL = 'actorctl.actor';
export const EXECUTION_LABEL = 'actorctl.execution';
export const WORKER_LABEL = 'actorctl.worker';
/** `run` or `holder`. */
export const KIND_LABEL = 'actorctl.kind';
