// The state of a stateful actor that is a process: no message of many clients is lost or counted twice.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countsTo } from '../../support/daemon/counter.ts';
import { type BuiltDaemon, builtDaemon, register, scriptImage } from '../../support/daemon/daemon.ts';

/** Posts its last argument as the new state, by the token of the execution; perl starts faster than anything else that is everywhere. */
const POST = `use IO::Socket::INET;
my ($api, $actor, $token, $state) = @ARGV;
$api =~ s{^http://}{};
my $socket = IO::Socket::INET->new(PeerAddr => $api) or die "$!";
print $socket "POST /actors/v2/$actor/state HTTP/1.1\\r\\nHost: $api\\r\\nAuthorization: Bearer $token\\r\\n",
  "Content-Type: application/json\\r\\nContent-Length: ", length($state), "\\r\\nConnection: close\\r\\n\\r\\n$state";
exit(<$socket> =~ / 200 / ? 0 : 1);
`;

let daemon: BuiltDaemon;
beforeAll(async () => {
  daemon = builtDaemon({ engine: 'none' });
  await daemon.start();
  await daemon.admit();
});
afterAll(() => daemon.remove());

it('R132 200 messages of 8 clients make the counter exactly 200, each from the version before', {
  timeout: 180_000,
}, async () => {
  const post = join(daemon.folder, 'post.pl');
  writeFileSync(post, POST);
  const script = `n=$(echo "$_svc_actor_state" | tr -cd 0-9)
exec perl '${post}' "$_svc_api_server" "$_svc_actor_id" "$_svc_access_token" "{\\"n\\": $((\${n:-0} + 1))}"`;
  const actor = await register(daemon, { image: scriptImage(daemon, script), stateless: false });
  await countsTo(200, daemon, actor);
  expect((await daemon.ask('GET', `/actors/v2/${actor}`)).result).toMatchObject({ status: 'READY' });
});
