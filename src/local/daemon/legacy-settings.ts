// Settings of the https listener for programs of the hosted platform.
import path from 'node:path';

/** As given by flags and variables. */
export interface GivenLegacy {
  readonly isOn: boolean;
  readonly port: string | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly jwtKey: string | undefined;
}

export interface LegacySettings {
  /** 0: any free port. Absent: 443, or another one if it cannot be had. */
  readonly port?: number;
  /** Files of a certificate and its key. Absent: those of a local authority. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** File of the public key of a gateway whose assertions are accepted. */
  readonly jwtKey?: string;
}

/** The settings, undefined when the listener is off, or a sentence about flags that do not fit together. */
export const legacySettings = ({
  isOn,
  port,
  tlsCert,
  tlsKey,
  jwtKey,
}: GivenLegacy): LegacySettings | undefined | string => {
  const flags = {
    '--legacy-port': port,
    '--tls-cert': tlsCert,
    '--tls-key': tlsKey,
    '--legacy-jwt-public-key': jwtKey,
  };
  const [alone] = Object.entries(flags).flatMap(([name, value]) => (value ? [name] : []));
  if (!isOn) return alone === undefined ? undefined : `${alone} needs --legacy`;
  if (port && port !== 'auto' && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535))
    return `--legacy-port must be a port from 1 to 65535 or auto, not "${port}"`;
  if (!tlsCert !== !tlsKey)
    return `--tls-cert and --tls-key must be given together; ${tlsCert ? '--tls-key' : '--tls-cert'} is missing`;
  return {
    ...(port && { port: port === 'auto' ? 0 : Number(port) }),
    ...(tlsCert && tlsKey && { tls: { cert: path.resolve(tlsCert), key: path.resolve(tlsKey) } }),
    ...(jwtKey && { jwtKey: path.resolve(jwtKey) }),
  };
};
