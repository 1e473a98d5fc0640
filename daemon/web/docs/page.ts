// Renders the OpenAPI document as a page that can be read without scripts and sends no request to other sites.
import type { OpenApiDocument } from '../../../src/contract/openapi.ts';
import { html, type Markup } from '../../http/response/html.ts';
import { type Member, membersOf, typeOf } from './schema.ts';
import { STYLE } from './style.ts';

type Json = Readonly<Record<string, unknown>>;

interface OperationEntry {
  readonly verb: string;
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly tag: string;
  readonly value: Json;
}

const recordOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const recordsOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(recordOf) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const operationsOf = ({ paths }: OpenApiDocument): readonly OperationEntry[] =>
  Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, value]) => ({
      verb: verb.toUpperCase(),
      path,
      id: textOf(value['operationId']),
      summary: textOf(value['summary']),
      tag: textOf(Array.isArray(value['tags']) ? value['tags'][0] : ''),
      value,
    })),
  );

const table = (title: string, members: readonly Member[]): Markup | undefined =>
  members.length === 0
    ? undefined
    : html`<h3>${title}</h3>
<table><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Presence</th></tr></thead><tbody>
${members.map(({ name, type, required }) => html`<tr><td><code>${name}</code></td><td>${type}</td><td class="soft">${required ? 'required' : ''}</td></tr>`)}
</tbody></table>`;

const parameters = (value: Json, place: string): readonly Member[] =>
  recordsOf(value['parameters'])
    .filter((one) => one['in'] === place)
    .map((one) => ({ name: textOf(one['name']), type: typeOf(one['schema']), required: one['required'] === true }));

const credentials = (value: Json): string => {
  const names = recordsOf(value['security']).flatMap((one) => Object.keys(one));
  return names.length === 0 ? 'no credential' : names.join(', or ');
};

const body = (value: Json): Markup | undefined => {
  const content = recordOf(recordOf(value['requestBody'])['content']);
  const types = Object.keys(content);
  if (types.length === 0) return undefined;
  const schema = recordOf(Object.values(content)[0])['schema'];
  return html`${table('Body', membersOf(schema))}<p class="soft">Body as ${types.join(', ')}.</p>`;
};

const success = (value: Json): Markup | undefined => {
  const content = recordOf(recordOf(recordOf(value['responses'])['200'])['content']);
  const schema = recordOf(recordOf(content['application/json'])['schema']);
  const result = recordOf(schema['properties'])['result'] ?? schema;
  const members = membersOf(result);
  const others = Object.keys(content).filter((type) => type !== 'application/json');
  return html`${table('Result', members)}${members.length === 0 ? html`<h3>Result</h3><p>${typeOf(result)}</p>` : undefined}${
    others.length === 0 ? undefined : html`<p class="soft">Also as ${others.join(', ')}.</p>`
  }`;
};

const failures = (value: Json): Markup => {
  const all = Object.entries(recordOf(value['responses'])).filter(([status]) => Number(status) >= 400);
  return html`<h3>Failures</h3>
<table><tbody>${all.map(([status, one]) => html`<tr><td><code>${status}</code></td><td>${textOf(recordOf(one)['description'])}</td></tr>`)}</tbody></table>`;
};

/** A person tries what a token or nothing admits. Forms of the login and tokens are tried on the dashboard. */
const isTried = (value: Json): boolean =>
  'application/json' in recordOf(recordOf(recordOf(value['responses'])['200'])['content']) &&
  !['authorize', 'token'].includes(textOf(Array.isArray(value['tags']) ? value['tags'][0] : ''));

const operation = ({ verb, path, id, summary, value }: OperationEntry): Markup => html`
<details class="operation" id="${id}">
<summary><span class="verb ${verb}">${verb}</span><code>${path}</code><span class="what">${summary}</span></summary>
<div class="body">
<p class="soft"><a href="#${id}">${id}</a> · requires ${credentials(value)}</p>
${table('Path', parameters(value, 'path'))}
${table('Query', parameters(value, 'query'))}
${body(value)}
${success(value)}
${failures(value)}
${isTried(value) ? html`<div class="try"></div>` : undefined}
</div>
</details>`;

/** The dashboard that belongs to the page. */
export interface PageLogin {
  /** Path of the script. */
  readonly script: string;
  /** The client of the dashboard for the tenant. */
  readonly client: string;
  readonly tenant: string | undefined;
}

export const docsPage = (document: OpenApiDocument, login?: PageLogin): string => {
  const all = operationsOf(document);
  const tags = [...new Set(all.map(({ tag }) => tag))];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${textOf(document.info['title'])} · actorctl</title>
${{ markup: `<style>${STYLE}</style>` }}
${login && html`<script type="module" src="${login.script}"></script>`}
</head>
<body data-client="${login?.client ?? ''}">
<main>
${login && html`<p><a href="${login.tenant === undefined ? '/' : `/?${new URLSearchParams({ tenant: login.tenant }).toString()}`}">Back to the dashboard</a></p>`}
<h1>${textOf(document.info['title'])}</h1>
<p class="soft">Version ${textOf(document.info['version'])} · ${all.length} operations · the same as <a href="/openapi.json">openapi.json</a></p>
${login && html`<div id="search"></div>`}
<nav aria-label="Resources"><ul>${tags.map((tag) => html`<li><a href="#${tag}">${tag}</a></li>`)}</ul></nav>
${tags.map(
  (tag) => html`<section><h2 id="${tag}">${tag}</h2>${all.filter((one) => one.tag === tag).map(operation)}</section>`,
)}
</main>
</body>
</html>
`.markup;
};
