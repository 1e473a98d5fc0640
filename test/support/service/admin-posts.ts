// What an admin posts to the wall of a platform: mostly clients, each under a name of its own.
import type { Answer, Call } from './call.ts';
import type { Platform } from './platform.ts';

/** What the calls need, asked at each of them, because a test file has it only once its platform runs. */
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
    /** A name that no client has. */
    clientName: () => {
      made += 1;
      return `c${made}`;
    },
  };
};

/** A body that says of itself that it is JSON. */
export const json = (body: string | Uint8Array): Call => ({ body, headers: { 'content-type': 'application/json' } });
