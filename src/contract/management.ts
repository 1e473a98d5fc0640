// What the management socket and its clients agree on.

/**
 * Before the paths of the API on the management socket. Every path of a request that a user names is behind it, so none
 * is one of `/manage/`.
 */
export const API_PREFIX = '/api';
