// The templates of `actors init`, one for each language. This file is long because it is one table of texts.
import type { TemplateName } from './template-names.ts';

interface Language {
  readonly summary: string;
  readonly dockerfile: string;
  /** Returns the source files, path → content. A stateful actor also stores a state, another one may greet. */
  readonly sources: (stateful: boolean, greets?: boolean) => Readonly<Record<string, string>>;
  /**
   * The command that runs the actor as a process without a container. Absent for languages that must be compiled
   * first.
   */
  readonly command?: readonly string[];
}

export const lines = (...text: readonly string[]): string => `${text.join('\n')}\n`;

const python: Language = {
  summary: 'Python, with its standard library only',
  dockerfile: lines('FROM python:3.13-slim', 'WORKDIR /actor', 'COPY main.py .', 'CMD ["python", "main.py"]'),
  command: ['python3', 'main.py'],
  sources: (stateful, greets = false) => ({
    'main.py': lines(
      '"""Handles one message. Printed output is the log of the execution."""',
      'import json',
      'import os',
      'import urllib.request',
      '',
      '',
      'def message():',
      '    """Returns the message as text. A long message is a file, and on a swarm a very long one is fetched."""',
      '    url = os.environ.get("MSG_URL") or os.environ.get("_svc_binary_data_URL")',
      '    if url:',
      '        with urllib.request.urlopen(url) as answer:',
      '            return answer.read().decode()',
      '    path = os.environ.get("MSG_FILE") or os.environ.get("_svc_binary_data_FILE")',
      '    if path:',
      '        with open(path, encoding="utf-8") as file:',
      '            return file.read()',
      '    return os.environ.get("MSG", "")',
      '',
      ...(stateful
        ? [
            '',
            'def keep(state):',
            '    """Stores the state that later executions start with: in a file, or where there is none, over HTTP."""',
            '    env = os.environ',
            '    if "_svc_state_file" in env:',
            '        with open(env["_svc_state_file"], "w", encoding="utf-8") as file:',
            '            json.dump(state, file)',
            '        return',
            '    urllib.request.urlopen(urllib.request.Request(',
            "        f\"{env['_svc_api_server']}/actors/v2/{env['_svc_actor_id']}/state\",",
            '        data=json.dumps(state).encode(),',
            '        headers={"Content-Type": "application/json",',
            '                 "Authorization": f"Bearer {env[\'_svc_access_token\']}"}))',
            '',
            '',
            'state = json.loads(os.environ.get("_svc_actor_state") or "{}") or {}',
            'state["count"] = state.get("count", 0) + 1',
            'keep(state)',
            'answer = json.dumps({"said": message(), "count": state["count"]})',
          ]
        : [
            '',
            greets
              ? 'answer = json.dumps({"said": os.environ["GREETING"] + " " + message()})'
              : 'answer = json.dumps({"said": message()})',
          ]),
      'print(answer)',
      'if "_svc_result_file" in os.environ:',
      '    with open(os.environ["_svc_result_file"], "w", encoding="utf-8") as file:',
      '        file.write(answer)',
    ),
  }),
};

const script = (stateful: boolean, greets: boolean, typed: boolean): string =>
  lines(
    '// Handles one message. Printed output is the log of the execution.',
    "import { readFileSync, writeFileSync } from 'node:fs';",
    '',
    'const { env } = process;',
    '// A long message is a file, and on a swarm a very long one is fetched.',
    'const url = env.MSG_URL ?? env._svc_binary_data_URL;',
    'const file = env.MSG_FILE ?? env._svc_binary_data_FILE;',
    `const message${typed ? ': string' : ''} = url`,
    '  ? await (await fetch(url)).text()',
    "  : file ? readFileSync(file, 'utf8') : (env.MSG ?? '');",
    '',
    ...(stateful
      ? [
          "const state = JSON.parse(env._svc_actor_state || '{}') ?? {};",
          'state.count = (state.count ?? 0) + 1;',
          '// The state goes into a file, or where there is none, over HTTP.',
          'if (env._svc_state_file) writeFileSync(env._svc_state_file, JSON.stringify(state));',
          'else {',
          '  const kept = await fetch(`${env._svc_api_server}/actors/v2/${env._svc_actor_id}/state`, {',
          "    method: 'POST',",
          "    headers: { 'content-type': 'application/json', authorization: `Bearer ${env._svc_access_token}` },",
          '    body: JSON.stringify(state),',
          '  });',
          '  if (!kept.ok) throw new Error(`cannot store the state: ${await kept.text()}`);',
          '}',
          'const answer = JSON.stringify({ said: message, count: state.count });',
        ]
      : [`const answer = JSON.stringify({ said: ${greets ? '`${env.GREETING} ${message}`' : 'message'} });`]),
    'console.log(answer);',
    'if (env._svc_result_file) writeFileSync(env._svc_result_file, answer);',
  );

const node: Language = {
  summary: 'JavaScript on Node',
  dockerfile: lines('FROM node:22-alpine', 'WORKDIR /actor', 'COPY main.mjs .', 'CMD ["node", "main.mjs"]'),
  command: ['node', 'main.mjs'],
  sources: (stateful, greets = false) => ({ 'main.mjs': script(stateful, greets, false) }),
};

const ts: Language = {
  summary: 'TypeScript on Node, which removes the types itself',
  dockerfile: lines('FROM node:24-alpine', 'WORKDIR /actor', 'COPY main.mts .', 'CMD ["node", "main.mts"]'),
  sources: (stateful, greets = false) => ({ 'main.mts': script(stateful, greets, true) }),
};

const bash: Language = {
  summary: 'a shell script in busybox',
  dockerfile: lines('FROM busybox', 'WORKDIR /actor', 'COPY main.sh .', 'CMD ["sh", "main.sh"]'),
  command: ['sh', 'main.sh'],
  sources: (stateful, greets = false) => ({
    'main.sh': lines(
      '# Handles one message. Printed output is the log of the execution.',
      'set -eu',
      '',
      '# A long message is a file, and on a swarm a very long one is fetched.',
      'url="${MSG_URL:-${_svc_binary_data_URL:-}}"',
      'file="${MSG_FILE:-${_svc_binary_data_FILE:-}}"',
      'if [ -n "$url" ]; then message="$(wget -q -O - "$url")"',
      'elif [ -n "$file" ]; then message="$(cat "$file")"',
      'else message="${MSG:-}"; fi',
      '',
      ...(stateful
        ? [
            '# The state is a number here. It goes into a file, or where there is none, over HTTP.',
            'count="$(printf %s "${_svc_actor_state:-0}" | tr -cd 0-9)"',
            'count=$((${count:-0} + 1))',
            'if [ -n "${_svc_state_file:-}" ]; then echo "$count" > "$_svc_state_file"',
            'else wget -q -O /dev/null --header "Authorization: Bearer $_svc_access_token" \\',
            '  --header "Content-Type: application/json" --post-data "$count" \\',
            '  "$_svc_api_server/actors/v2/$_svc_actor_id/state"; fi',
            'answer="$count: $message"',
          ]
        : [greets ? 'answer="$GREETING $message"' : 'answer="you said: $message"']),
      'echo "$answer"',
      'if [ -n "${_svc_result_file:-}" ]; then echo "$answer" > "$_svc_result_file"; fi',
    ),
  }),
};

const go: Language = {
  summary: 'Go, as a static binary in an empty image',
  dockerfile: lines(
    'FROM golang:1.25-alpine AS build',
    'WORKDIR /src',
    'COPY go.mod main.go ./',
    'RUN CGO_ENABLED=0 go build -o /actor .',
    '',
    'FROM scratch',
    'COPY --from=build /actor /actor',
    'CMD ["/actor"]',
  ),
  sources: (stateful, greets = false) => ({
    'go.mod': lines('module actor', '', 'go 1.24'),
    'main.go': lines(
      '// Handles one message. Printed output is the log of the execution.',
      'package main',
      '',
      'import (',
      ...(stateful ? ['\t"bytes"'] : []),
      '\t"encoding/json"',
      '\t"fmt"',
      '\t"io"',
      ...(stateful ? ['\t"log"'] : []),
      '\t"net/http"',
      '\t"os"',
      ')',
      '',
      '// message returns the message as text. A long message is a file, and on a swarm a very long one is fetched.',
      'func message() string {',
      '\tfor _, name := range []string{"MSG_URL", "_svc_binary_data_URL"} {',
      '\t\tif answer, err := http.Get(os.Getenv(name)); err == nil {',
      '\t\t\tdefer answer.Body.Close()',
      '\t\t\tcontent, _ := io.ReadAll(answer.Body)',
      '\t\t\treturn string(content)',
      '\t\t}',
      '\t}',
      '\tfor _, name := range []string{"MSG_FILE", "_svc_binary_data_FILE"} {',
      '\t\tif content, err := os.ReadFile(os.Getenv(name)); err == nil {',
      '\t\t\treturn string(content)',
      '\t\t}',
      '\t}',
      '\treturn os.Getenv("MSG")',
      '}',
      '',
      ...(stateful
        ? [
            '// keep stores the state that later executions start with: in a file, or where there is none, over HTTP.',
            'func keep(state []byte) {',
            '\tif file := os.Getenv("_svc_state_file"); file != "" {',
            '\t\tif err := os.WriteFile(file, state, 0o600); err != nil {',
            '\t\t\tlog.Fatal("cannot store the state: ", err)',
            '\t\t}',
            '\t\treturn',
            '\t}',
            '\turl := os.Getenv("_svc_api_server") + "/actors/v2/" + os.Getenv("_svc_actor_id") + "/state"',
            '\trequest, _ := http.NewRequest("POST", url, bytes.NewReader(state))',
            '\trequest.Header.Set("Content-Type", "application/json")',
            '\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("_svc_access_token"))',
            '\tif kept, err := http.DefaultClient.Do(request); err != nil || kept.StatusCode != 200 {',
            '\t\tlog.Fatal("cannot store the state: ", err)',
            '\t}',
            '}',
            '',
          ]
        : []),
      'func main() {',
      `\tanswer := map[string]any{"said": ${greets ? 'os.Getenv("GREETING") + " " + ' : ''}message()}`,
      ...(stateful
        ? [
            '\tvar state struct{ Count int `json:"count"` }',
            '\t_ = json.Unmarshal([]byte(os.Getenv("_svc_actor_state")), &state)',
            '\tstate.Count++',
            '\tbody, _ := json.Marshal(state)',
            '\tkeep(body)',
            '\tanswer["count"] = state.Count',
          ]
        : []),
      '\ttext, _ := json.Marshal(answer)',
      '\tfmt.Println(string(text))',
      '\tif file := os.Getenv("_svc_result_file"); file != "" {',
      '\t\t_ = os.WriteFile(file, text, 0o600)',
      '\t}',
      '}',
    ),
  }),
};

export const languages: Readonly<Record<TemplateName, Language>> = { python, node, bash, go, ts };
