// `tls`: the https listener for programs of the hosted platform.
import type { CommandContext } from '../../context.ts';
import { CliFailure } from '../../failure.ts';
import { singleQuoted } from '../../local/single-quoted.ts';
import { trustLines } from '../../local/tls/trusted-certificates.ts';
import { command, type LeafEntry } from '../framework/command.ts';

/**
 * @throws CliFailure DAEMON_NOT_RUNNING; USAGE if the daemon has no https listener, or uses a certificate that the
 * user supplied
 */
const authorityOf = async ({ manage }: CommandContext) => {
  const { legacy } = await manage('daemon.status');
  if (legacy === undefined) {
    throw new CliFailure('USAGE', 'cannot print how to trust the https listener: the daemon runs without one', {
      hint: 'actorctl daemon restart --legacy',
    });
  }
  const { authorityFile, baseUrl } = legacy;
  if (authorityFile === undefined) {
    throw new CliFailure(
      'USAGE',
      'the https listener uses the certificate of --tls-cert, which has no local authority',
    );
  }
  return { authority_file: authorityFile, base_url: baseUrl };
};

const trust = command({
  name: 'trust',
  summary: 'Print how to trust the local authority',
  operations: ['daemon.status'],
  details:
    'The https listener of --legacy uses a certificate of an authority in the data folder.\nThis command prints how programs can trust it, and changes nothing. The shell commands combine the authority with the certificates that the shell and the system already trust. The combined file is in the folder of the authority.',
  examples: ['eval "$(actorctl tls trust -q)"'],
  run: async (context) => {
    const value = await authorityOf(context);
    const file = singleQuoted(value.authority_file);
    const { lines, bundle, hasSystem, leftOut } = await trustLines(value.authority_file, context.user.env);
    const text = [
      `The certificate of ${value.base_url} is signed by the authority in ${value.authority_file}.`,
      'It is valid for this machine and private networks only.',
      '',
      'Python requests, agavepy, Node, OpenSSL and curl, in this shell:',
      ...lines.map((line) => `  ${line}`),
      '',
      'All programs, in the system store of Debian and Ubuntu:',
      `  sudo install -m 644 ${file} /usr/local/share/ca-certificates/actorctl.crt && sudo update-ca-certificates`,
      'Fedora:',
      `  sudo install -m 644 ${file} /etc/pki/ca-trust/source/anchors/actorctl.pem && sudo update-ca-trust`,
      'macOS:',
      `  sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ${file}`,
    ].join('\n');
    context.output.report(text, value, lines.join('\n'));
    for (const named of leftOut)
      context.output.warn(
        `a variable of this shell names "${named}", which is not a readable file, so ${bundle} lacks its certificates. Set the variable to a file, and run this command again`,
      );
    if (!hasSystem)
      context.output.warn(
        `found no file with the certificates that this machine trusts, so ${bundle} lacks them. Programs that use it trust no other site`,
      );
    return 0;
  },
});

export const tlsCommands: readonly LeafEntry[] = [trust];
