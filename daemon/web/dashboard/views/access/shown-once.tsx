// The id and the secret of a client that was registered or got a new secret.
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';
import { SecretText } from './secret-text.tsx';

interface ShownOnceProps {
  readonly title: string;
  readonly name: string;
  readonly id: string;
  /** Undefined for a public client. */
  readonly secret: string | undefined;
}

export const ShownOnce = ({ title, name, id, secret }: ShownOnceProps) => (
  <div class="body once" role="status">
    <p>
      <strong>{safe(title)}</strong> {secret === undefined ? '' : 'Copy the secret now: it is not shown again.'}
    </p>
    <dl class="facts">
      <dt>client id</dt>
      <dd>
        <code>{safe(id)}</code>
      </dd>
      {secret === undefined ? null : (
        <>
          <dt>secret</dt>
          <dd>
            <SecretText name="the client secret" value={secret} />
          </dd>
        </>
      )}
    </dl>
    <p>
      <a href={hashOf(['access', 'try'], { client: name })}>Try a flow with it</a>
    </p>
  </div>
);
