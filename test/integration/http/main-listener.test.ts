// Responses of the main listener, compared with recordings from before the https listener existed, while both listeners
// run.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ActorService, startActorService } from '../../support/service/actor-service.ts';

let service: ActorService;
beforeAll(async () => {
  service = await startActorService();
  await service.askLegacy('ana', 'GET', '/actors/v2');
});
afterAll(() => service.close());

it('responses of the main listener match the recorded bytes, except for ids and times', async () => {
  const id = await service.actor('ana', { name: 'one', default_environment: { A: 'b' }, stateless: false });
  const stateless = await service.actor('ana', { name: 'two' });
  await service.ask('ana', 'POST', `/actors/v2/${id}/permissions`, { form: { user: 'bob', level: 'READ' } });
  await service.ask('ana', 'POST', '/actors/v2/aliases', { form: { alias: 'al', actorId: id } });
  const requests: readonly Parameters<ActorService['ask']>[] = [
    [undefined, 'GET', '/tenants'],
    [undefined, 'GET', '/actors/v2'],
    ['ana', 'GET', `/actors/v2/${id}`],
    ['bob', 'GET', `/actors/v2/${stateless}`],
    ['bob', 'POST', `/actors/v2/${id}/messages`, { form: { message: 'x' } }],
    ['ana', 'POST', `/actors/v2/${stateless}/state`, { json: {} }],
    ['ana', 'GET', `/actors/v2/${id}/state`],
    ['ana', 'POST', '/actors/v2/aliases', { form: { alias: 'al', actorId: id } }],
    ['ana', 'POST', '/actors/v2/configs', { form: { name: 'c', value: '1', actors: '', isSecret: 'False' } }],
    ['ana', 'PUT', `/actors/v2/${stateless}`, { json: { image: 'alpine', stateless: false } }],
    ['admin', 'POST', `/actors/v2/${id}/workers`, { json: { num: 2 } }],
    ['ana', 'POST', `/actors/v2/${id}/nonces`],
    ['ana', 'GET', '/actors/v2/search/actors?limit=1'],
    ['ana', 'GET', '/clients/v2/ana/subscriptions'],
    ['admin', 'POST', '/profiles/v2', { json: { username: 'x' } }],
  ];
  const answers: string[] = [];
  for (const request of requests) {
    const { status, text } = await service.ask(...request);
    const [, method, path] = request;
    answers.push(`${method} ${path} -> ${status} ${text}`);
  }
  const recorded = answers
    .join('\n')
    .replaceAll(id, 'ONE')
    .replaceAll(stateless, 'TWO')
    .replaceAll(service.baseUrl, 'ORIGIN')
    .replace(/DEV_[A-Za-z0-9]+/g, 'NONCE')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
  expect(recorded).toMatchInlineSnapshot(`
    "GET /tenants -> 200 {"message":"Tenants retrieved successfully.","result":[{"code":"DEV","name":"DEV","baseUrl":"ORIGIN"},{"code":"OTHER","name":"OTHER","baseUrl":"ORIGIN"}],"status":"success","version":"1.9.1"}
    GET /actors/v2 -> 401 {"message":"This request needs an access token. Send the header \\"Authorization: Bearer <token>\\" (\`actorctl login\` gets one).","result":null,"status":"error","version":"1.9.1","fault":{"code":900902,"message":"Invalid Credentials","description":"This request needs an access token. Send the header \\"Authorization: Bearer <token>\\" (\`actorctl login\` gets one)."}}
    GET /actors/v2/ONE -> 200 {"message":"Actor retrieved.","result":{"id":"ONE","name":"one","description":"","image":"alpine","owner":"ana","status":"SUBMITTED","statusMessage":"","stateless":false,"default_environment":{"A":"b"},"senderVariables":[],"hints":[],"type":"none","link":"","webhook":"","queue":"default","token":false,"tokenReach":"own","privileged":false,"useContainerUid":false,"cronOn":false,"mounts":[],"state":{},"revision":1,"version":1,"createTime":"TIME","lastUpdateTime":"TIME","_links":{"self":"ORIGIN/actors/v2/ONE","owner":"ORIGIN/profiles/v2/ana","executions":"ORIGIN/actors/v2/ONE/executions"}},"status":"success","version":"1.9.1"}
    GET /actors/v2/TWO -> 404 {"message":"There is no such actor. Check the id or alias. The list of actors shows the actors that you may read.","result":null,"status":"error","version":"1.9.1"}
    POST /actors/v2/ONE/messages -> 403 {"message":"you do not have access to this actor: the level EXECUTE is needed and you have READ. Ask the owner to grant it.","result":null,"status":"error","version":"1.9.1"}
    POST /actors/v2/TWO/state -> 400 {"message":"actor is stateless.","result":null,"status":"error","version":"1.9.1"}
    GET /actors/v2/ONE/state -> 200 {"message":"State retrieved.","result":{"version":0,"updatedAt":"TIME","updatedBy":"ana","state":{}},"status":"success","version":"1.9.1"}
    POST /actors/v2/aliases -> 409 {"message":"An alias \\"al\\" already exists. Choose another name, or point that alias to the actor.","result":null,"status":"error","version":"1.9.1"}
    POST /actors/v2/configs -> 415 {"message":"A body of type \\"application/x-www-form-urlencoded\\" is not supported here; send JSON.","result":null,"status":"error","version":"1.9.1"}
    PUT /actors/v2/TWO -> 400 {"message":"stateless is fixed at registration and stays true; register a new actor to change it","result":null,"status":"error","version":"1.9.1"}
    POST /actors/v2/ONE/workers -> 400 {"message":"num must be 1 at most: stateful actors can only have 1 worker.","result":null,"status":"error","version":"1.9.1"}
    POST /actors/v2/ONE/nonces -> 200 {"message":"Nonce created. Its id is a secret and is shown only this once.","result":{"id":"NONCE","owner":"ana","level":"EXECUTE","roles":["user"],"maxUses":-1,"currentUses":0,"remainingUses":-1,"description":"","apiServer":"ORIGIN","createTime":"TIME","actorId":"ONE","_links":{"self":"ORIGIN/actors/v2/ONE/nonces/NONCE","owner":"ORIGIN/profiles/v2/ana","actor":"ORIGIN/actors/v2/ONE"}},"status":"success","version":"1.9.1"}
    GET /actors/v2/search/actors?limit=1 -> 200 {"message":"Search completed.","result":{"_metadata":{"totalCount":2,"recordsSkipped":0,"recordLimit":1,"countReturned":1},"search":[{"id":"ONE","name":"one","description":"","image":"alpine","owner":"ana","status":"SUBMITTED","statusMessage":"","stateless":false,"default_environment":{"A":"b"},"configEnvironment":null,"senderVariables":[],"hints":[],"type":"none","link":"","webhook":"","queue":"default","token":false,"tokenReach":"own","showSecrets":null,"privileged":false,"useContainerUid":false,"cronOn":false,"mounts":[],"state":{},"revision":1,"version":1,"dialect":null,"maxWorkers":null,"memLimit":null,"maxCpus":null,"placement":null,"logEx":null,"maxRunTime":null,"cronSchedule":null,"cronNextEx":null,"cronNextTime":null,"cronTimeZone":null,"cronMessage":null,"createTime":"TIME","lastUpdateTime":"TIME","aliases":null,"_links":{"self":"ORIGIN/actors/v2/ONE","owner":"ORIGIN/profiles/v2/ana","executions":"ORIGIN/actors/v2/ONE/executions"}}]},"status":"success","version":"1.9.1"}
    GET /clients/v2/ana/subscriptions -> 404 {"message":"There is nothing at this address. Check the path.","result":null,"status":"error","version":"1.9.1"}
    POST /profiles/v2 -> 405 {"message":"This address does not accept POST. It accepts GET, HEAD, OPTIONS.","result":null,"status":"error","version":"1.9.1"}"
  `);
});
