/** `pnpm check`: the scripts of package.json that check all but behaviour, two at a time, with what each took at the end. */
import { readFileSync } from "node:fs";
import concurrently from "concurrently";

/** The longest first. */
const STEPS = [
  "packages",
  "typecheck",
  "snippets",
  "surface",
  "texts",
  "cycles",
  "unused",
  "words",
  "lint",
  "changesets",
];

const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

const { result } = concurrently(
  STEPS.map((name) => ({ name, command: scripts[name] })),
  { maxProcesses: 2, group: true, timings: true, killOthersOn: ["failure"] },
);
result.catch(() => {
  process.exitCode = 1; // The output of the step that failed says why.
});
