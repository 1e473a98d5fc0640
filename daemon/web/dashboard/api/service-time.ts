// The time of the service: that of this machine, or what the responses of a service with a virtual clock show.

let virtual: number | undefined;

export const noteTime = ({ headers }: Pick<Response, 'headers'>): void => {
  const shown = Date.parse(headers.get('x-virtual-clock') ?? '');
  if (!Number.isNaN(shown)) virtual = shown;
};

/** Time in ms. A virtual clock shows no progress between two responses. */
export const serviceNow = (): number => virtual ?? Date.now();
