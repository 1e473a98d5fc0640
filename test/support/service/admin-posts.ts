// POST requests of an admin, mostly to register clients with generated names.
import type { Answer, Call } from './call.ts';
import type { Platform } from './platform.ts';

/** The inputs of the calls. They are read at each call, because the platform of a test file starts later. */
interface Admin {
  readonly platform: Platform;
  readonly bearer: { readonly authorization: string };
}

export const adminPosts = (admin: () => Admin) => {
  let made = 0;
  const post = (path: string, asked: Call): Promise<Answer> => {
    const { platform, bearer } = admin();
    return platform.ask('POST', path, { ...asked, headers: { ...bearer, ...asked.headers } });
  };
  return {
    post,
    client: (asked: Call) => post('/clients/v2', asked),
    /** A client name that is not in use. */
    clientName: () => {
      made += 1;
      return `c${made}`;
    },
  };
};

/** A body with the content type JSON. */
export const json = (body: string | Uint8Array): Call => ({ body, headers: { 'content-type': 'application/json' } });
