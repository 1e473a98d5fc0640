// Connections to this daemon's own https listeners. Their certificate comes from a local authority that only the
// daemon's clients trust.
// @see docs/conformance/security.md R246
import { X509Certificate } from 'node:crypto';
import { Agent, type AgentOptions } from 'node:https';
import { TLSSocket } from 'node:tls';

/** The certificate (PEM) that this daemon presents at a host and port. Undefined if it does not listen there. */
export type OwnCertificate = (host: string, port: number) => string | undefined;

/**
 * True for the daemon's own certificate, even without a trusted signature. The handshake has proved that the peer has
 * its key.
 */
const isOwn = (socket: TLSSocket, expected: string | undefined): boolean =>
  expected !== undefined &&
  socket.getPeerX509Certificate()?.fingerprint256 === new X509Certificate(expected).fingerprint256;

/**
 * Creates the agent for this daemon's hosts and ports. The peer must present the daemon's current certificate, or one
 * that public authorities trust, because another program can listen at another address of the same name.
 */
export const ownAgent = (options: AgentOptions, ownCertificate: OwnCertificate): Agent => {
  // A resumed TLS session keeps the certificate of its first handshake, which may be out of use by now.
  const agent = new Agent({ ...options, rejectUnauthorized: false, maxCachedSessions: 0 });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (given, done) => {
    const socket = connect(given, done);
    if (!(socket instanceof TLSSocket)) throw new Error('a connection of the https agent does not use TLS');
    socket.once('secureConnect', () => {
      if (socket.authorized || isOwn(socket, ownCertificate(given.host ?? '', Number(given.port)))) return;
      const why = String(socket.authorizationError);
      socket.destroy(
        new Error(`the certificate is not that of this daemon, and no trusted authority signed it (${why})`),
      );
    });
    return socket;
  };
  return agent;
};
