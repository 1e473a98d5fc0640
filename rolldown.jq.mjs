// jq for --jq and --for: copies jq-web, which is jq compiled to WebAssembly, beside the programs.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { transformSync } from 'esbuild';
import { addNotice } from './rolldown.notices.mjs';

const require = createRequire(import.meta.url);
const folder = path.dirname(require.resolve('jq-web'));

/** Names and debug information: seven of ten bytes, and without effect. @see https://webassembly.github.io/spec/core/appendix/custom.html */
const withoutCustomSections = (wasm) => {
  const HEADER = 8;
  const CUSTOM = 0;
  const kept = [wasm.subarray(0, HEADER)];
  for (let at = HEADER; at < wasm.length; ) {
    let [next, size, shift] = [at + 1, 0, 0];
    for (let more = true; more; shift += 7, next += 1) {
      size += (wasm[next] & 0x7f) << shift;
      more = (wasm[next] & 0x80) !== 0;
    }
    if (wasm[at] !== CUSTOM) kept.push(wasm.subarray(at, next + size));
    at = next + size;
  }
  return Buffer.concat(kept);
};

/** Licences of libraries in jq that the licence of jq-web lacks. */
const ONIGURUMA = `jq contains Oniguruma:

Copyright (c) 2002-2021  K.Kosako  <kkosako0@gmail.com>
All rights reserved.

Redistribution and use in source and binary forms, with or without
modification, are permitted provided that the following conditions
are met:
1. Redistributions of source code must retain the above copyright
   notice, this list of conditions and the following disclaimer.
2. Redistributions in binary form must reproduce the above copyright
   notice, this list of conditions and the following disclaimer in the
   documentation and/or other materials provided with the distribution.

THIS SOFTWARE IS PROVIDED BY THE AUTHOR AND CONTRIBUTORS \`\`AS IS'' AND
ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE
ARE DISCLAIMED.  IN NO EVENT SHALL THE AUTHOR OR CONTRIBUTORS BE LIABLE
FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS
OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION)
HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT
LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY
OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF
SUCH DAMAGE.
`;
const DEC_NUMBER = `jq contains decNumber:

Copyright (c) 1995-2005 International Business Machines Corporation and others
All rights reserved.

Permission is hereby granted, free of charge, to any person obtaining a copy of
this software and associated documentation files (the "Software"), to deal in the
Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, provided that the above copyright
notice(s) and this permission notice appear in all copies of the Software and that
both the above copyright notice(s) and this permission notice appear in supporting
documentation.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED,
INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A
PARTICULAR PURPOSE AND NONINFRINGEMENT OF THIRD PARTY RIGHTS. IN NO EVENT SHALL THE
COPYRIGHT HOLDER OR HOLDERS INCLUDED IN THIS NOTICE BE LIABLE FOR ANY CLAIM, OR ANY
SPECIAL INDIRECT OR CONSEQUENTIAL DAMAGES, OR ANY DAMAGES WHATSOEVER RESULTING FROM
LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS
SOFTWARE.

Except as contained in this notice, the name of a copyright holder shall not be used
in advertising or otherwise to promote the sale, use or other dealings in this
Software without prior written authorization of the copyright holder.
`;

/** @type {import('rolldown').Plugin} */
export const jqFiles = {
  name: 'jq-files',
  generateBundle() {
    const emit = (fileName, source) => this.emitFile({ type: 'asset', fileName, source });
    const code = readFileSync(path.join(folder, 'jq.js'), 'utf8');
    emit('jq.cjs', transformSync(code, { minify: true, legalComments: 'none' }).code);
    emit('jq.wasm', withoutCustomSections(readFileSync(path.join(folder, 'jq.wasm'))));
    addNotice(folder, [ONIGURUMA, DEC_NUMBER]);
  },
};
