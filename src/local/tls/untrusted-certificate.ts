// TLS errors of a certificate that no trusted authority has signed.
import { systemCode } from '../../failure.ts';

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

export const isUntrusted = (error: unknown): boolean => UNTRUSTED.has(systemCode(error) ?? '');
