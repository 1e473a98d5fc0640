// The stylesheet of the API documentation page, allowed by its hash. Contrast is at least 4.5:1 in light and dark.

/** The exact content of the `<style>` element. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f3f4f6; --sheet: #ffffff; --ink: #14171c; --soft: #535b68; --edge: #dfe2e7; --accent: #1d4ed8;
  --get: #1d4ed8; --post: #166534; --put: #8a4b00; --delete: #9f1239;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0e1116; --sheet: #161a21; --ink: #eceef2; --soft: #a4adbb; --edge: #2a303b; --accent: #8fb4ff;
    --get: #8fb4ff; --post: #86d9a0; --put: #f0b76b; --delete: #ffb3c0;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
}
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { margin: 0 0 .25rem; font-size: 1.625rem; line-height: 1.25; letter-spacing: -.015em; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.25rem; }
a { color: var(--accent); }
p { margin: 0 0 .75rem; }
.soft { color: var(--soft); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 1.25rem 0 0; padding: 0; list-style: none; }
details.operation { margin: 0 0 .5rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--sheet); }
details.operation > summary { display: grid; grid-template-columns: 4.25rem minmax(0, 1fr); gap: .125rem .75rem; padding: .75rem 1rem; cursor: pointer; list-style: none; }
details.operation > summary::-webkit-details-marker { display: none; }
summary .what { grid-column: 2; color: var(--soft); font-size: .9375rem; }
.body { padding: .25rem 1rem 1rem; border-top: 1px solid var(--edge); }
h3 { margin: 1rem 0 .375rem; font-size: .9375rem; }
.verb, code { font: .875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.verb { font-weight: 700; }
.GET { color: var(--get); } .POST { color: var(--post); } .PUT { color: var(--put); } .DELETE { color: var(--delete); }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th, td { padding: .25rem .75rem .25rem 0; border-top: 1px solid var(--edge); text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .25rem; }
[hidden] { display: none !important; }
search label, .field label { display: block; margin: 0 0 .25rem; font-size: .9375rem; font-weight: 600; }
search { display: block; margin: 1.25rem 0 0; }
input, select, textarea {
  width: 100%; min-height: 2.5rem; padding: .375rem .625rem; border: 1px solid var(--soft); border-radius: .375rem;
  background: var(--sheet); color: var(--ink); font: inherit;
}
textarea, pre { font: .875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.try { margin: 1.25rem 0 0; border-top: 1px solid var(--edge); }
.field { max-width: 36rem; margin: 0 0 .75rem; }
button {
  min-height: 2.5rem; margin: 0 .5rem .5rem 0; padding: .375rem 1rem; border: 1px solid var(--accent); border-radius: .375rem;
  background: none; color: var(--accent); font: inherit; font-weight: 600; cursor: pointer;
}
button:disabled { opacity: .5; cursor: default; }
.try summary { cursor: pointer; }
pre { margin: .5rem 0; white-space: pre-wrap; }
.answer { max-height: 24rem; overflow: auto; padding: .75rem; border: 1px solid var(--edge); border-radius: .375rem; background: var(--paper); }
@media (max-width: 40rem) { main { padding: 1rem; } td, th { display: block; border-top: 0; padding-right: 0; } tr { display: block; border-top: 1px solid var(--edge); } thead { display: none; } }
`;
