// The time of the service: that of this machine, or what the responses of a service with a virtual clock show.

let virtual: number | undefined;

/** Notes the time that a response shows. */
export const noteTime = ({ headers }: Pick<Response, 'headers'>): void => {
  const shown = Date.parse(headers.get('x-virtual-clock') ?? '');
  if (!Number.isNaN(shown)) virtual = shown;
};

/** The time of the service in ms. A virtual clock does not go on between two responses. */
export const serviceNow = (): number => virtual ?? Date.now();
