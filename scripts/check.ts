/** `pnpm check`: runs the scripts of package.json that check everything but behaviour, two at a time, and prints their times. */
import { readFileSync } from "node:fs";
import concurrently from "concurrently";

/** Longest first. */
const STEPS = [
  "packages",
  "typecheck",
  "snippets",
  "surface",
  "texts",
  "cycles",
  "unused",
  "words",
  "links",
  "lint",
  "changesets",
];

const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

const { result } = concurrently(
  STEPS.map((name) => ({ name, command: scripts[name] })),
  { maxProcesses: 2, group: true, timings: true, killOthersOn: ["failure"] },
);
result.catch(() => {
  process.exitCode = 1; // The failed step's output says why.
});
