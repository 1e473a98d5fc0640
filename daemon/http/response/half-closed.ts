// Finds out whether a client that has half-closed its connection still reads. TCP signals a half-close (the client sends
// no more) and a close (the client is gone) the same way; only bytes sent to a gone client come back as a reset.
import type { ServerResponse } from 'node:http';

/** Interval (ms) of probes. The second probe that reaches a disconnected client fails and closes the response. */
const PROBE_MS = 250;

/** Calls `probe` repeatedly from the half-close of the client until the response closes. `probe` sends some bytes. */
export const probeHalfClosed = (response: ServerResponse, probe: () => void): void => {
  const { socket } = response;
  if (socket === null || response.destroyed) return;
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    timer = setInterval(probe, PROBE_MS);
    timer.unref();
  };
  if (socket.readableEnded) begin();
  else socket.once('end', begin);
  response.once('close', () => {
    socket.off('end', begin);
    clearInterval(timer);
  });
};

/**
 * Probes with status 102 (RFC 9110 15.2), which every HTTP/1.1 client must skip, until the final status. Not for
 * HTTP/1.0.
 */
export const probeWithInterim = (response: ServerResponse): void => {
  if (response.req.httpVersionMajor !== 1 || response.req.httpVersionMinor < 1) return;
  probeHalfClosed(response, () => {
    if (!response.headersSent) response.writeProcessing();
  });
};
