// The stylesheet of the pages, allowed by its hash. Contrast is at least 4.5:1 for text and 3:1 for edges of controls,
// in both color schemes. The consent form ignores the pointer for half a second, so that the second click of a double
// click on the login does not approve it. @see docs/conformance/security.md R102

/** The exact content of the `<style>` element. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f3f4f6; --sheet: #ffffff; --ink: #14171c; --soft: #535b68; --edge: #dfe2e7; --field: #7b8494;
  --accent: #1d4ed8; --action: #1b2230; --on-action: #ffffff; --action-over: #353f52;
  --ask: #eef2fb; --bad: #9f1239; --bad-paper: #fff1f2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0e1116; --sheet: #161a21; --ink: #eceef2; --soft: #a4adbb; --edge: #2a303b; --field: #78828f;
    --accent: #8fb4ff; --action: #e6e9ef; --on-action: #14171c; --action-over: #ffffff;
    --ask: #1f2633; --bad: #ffb3c0; --bad-paper: #3a1620;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  display: flow-root; margin: 0; min-height: 100vh; min-height: 100dvh; background: var(--sheet); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  overflow-wrap: anywhere;
}
main { max-width: 30rem; margin: 0 auto; padding: 1.5rem 1.5rem 2.5rem; }
.mark {
  display: flex; align-items: center; gap: .5rem; margin: 0 0 2.25rem; color: var(--soft);
  font: 500 .9375rem/1 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
.mark svg { flex: none; }
.mark circle:first-child { fill: none; stroke: var(--accent); stroke-width: 2; }
.mark circle:last-child { fill: var(--accent); }
h1 { margin: 0 0 .75rem; font-size: 1.625rem; line-height: 1.25; font-weight: 650; letter-spacing: -.015em; text-wrap: balance; }
p { margin: 0 0 1rem; }
.name { font-weight: 600; }
.question { font-weight: 400; }
.question .name { display: inline-block; max-width: 100%; font-weight: 700; }
.place { font-weight: 600; }
code { font: .9375em/1 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.problem {
  margin: 1.25rem 0 0; padding: .75rem 1rem; border-left: .25rem solid var(--bad); border-radius: .25rem;
  background: var(--bad-paper); color: var(--bad);
}
form { margin: 1.5rem 0 0; }
label { display: block; margin: 0 0 .375rem; font-weight: 600; font-size: .9375rem; }
input:not([type=hidden]) {
  display: block; width: 100%; min-height: 3rem; margin: 0 0 1.125rem; padding: .625rem .75rem;
  border: 1px solid var(--field); border-radius: .375rem; background: var(--sheet); color: var(--ink); font: inherit;
}
input[aria-invalid=true] { border-color: var(--bad); }
.ask { margin: 1.25rem 0 0; padding: .875rem 1rem; border-radius: .375rem; background: var(--ask); }
.ask strong { font-size: 1.0625rem; }
dl { display: grid; grid-template-columns: 5.5rem 1fr; gap: .75rem 1rem; margin: 1.375rem 0 0; font-size: .9375rem; line-height: 1.45; }
dt { color: var(--soft); }
dd { margin: 0; }
.buttons { display: flex; gap: .75rem; margin: 1.5rem 0 0; }
button {
  flex: 1 1 0; min-height: 3rem; padding: .625rem 1rem; border: 1px solid transparent; border-radius: .375rem;
  background: var(--action); color: var(--on-action); font: inherit; font-weight: 600; cursor: pointer;
}
button:hover { background: var(--action-over); }
.quiet {
  min-height: 1.5rem; padding: 0; border: 0; border-radius: .125rem; background: none; color: var(--accent);
  font-weight: inherit; text-decoration: underline; text-underline-offset: .15em;
}
.quiet:hover { background: none; text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.note { margin: 1.75rem 0 0; color: var(--soft); font-size: .875rem; line-height: 1.5; }
.note p { margin: 0; }
.question ~ form { animation: settle .5s step-end; }
@keyframes settle { from { pointer-events: none; } }
.note code { font-size: 1em; }
@media (min-width: 40rem) {
  body { background: var(--paper); }
  main {
    margin: clamp(1.5rem, 8vh, 8rem) auto 1.5rem; padding: 2.25rem 2.75rem 2.5rem; background: var(--sheet);
    border: 1px solid var(--edge); border-radius: .75rem;
  }
}
`;
