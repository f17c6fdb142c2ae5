import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Lab, withLab } from "./lab.ts";
import { describeMachine, disturbingLoad } from "./machine.ts";
import { type Options, type PartName, parseOptions, usage } from "./options.ts";
import { append } from "./parts/append.ts";
import { cost } from "./parts/cost.ts";
import { engine } from "./parts/engine.ts";
import { facts } from "./parts/facts.ts";
import { fairness } from "./parts/fairness.ts";
import type { Part } from "./parts/part.ts";
import { read } from "./parts/read.ts";
import { streams } from "./parts/streams.ts";
import { telemetry } from "./parts/telemetry.ts";
import { turns } from "./parts/turns.ts";
import { runProgram } from "./program.ts";
import { renderPart } from "./report.ts";

const parts: Record<PartName, Part> = {
  engine,
  telemetry,
  append,
  read,
  turns,
  cost,
  streams,
  fairness,
  facts,
};

async function measurePart(name: PartName, options: Options): Promise<void> {
  const result = await withLab((lab) => parts[name](lab, options));
  console.log(`\n## ${name}\n\n${renderPart(result)}\n`);
}

/** Runs this program for one part, and returns its exit code. */
async function forkPart(lab: Lab, name: PartName): Promise<number> {
  const child = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), "--part", name]);
  const ended = once(child, "exit");
  lab.onEnd(async () => {
    child.kill();
    await ended;
  });
  const [code]: readonly unknown[] = await ended;
  return Number(code ?? 1);
}

/** Runs each part in its own process, so it has no pauses from an earlier part's memory. */
async function measureEach({ parts, quick }: Options): Promise<void> {
  const load = disturbingLoad();
  console.log(`${new Date().toISOString().slice(0, 10)}, ${describeMachine()}.`);
  if (load !== undefined)
    console.log(`Other work runs beside it (load ${load.toFixed(1)}): the figures are off.`);
  if (quick) console.log("A smoke run: these figures mean nothing.");
  for (const name of parts) {
    const code = await withLab((lab) => forkPart(lab, name));
    if (code === 0) continue;
    process.exitCode = code; // The part has printed the reason.
    return;
  }
}

await runProgram(usage, async () => {
  const options = parseOptions();
  const { help, part } = options;
  if (help) console.log(usage);
  else if (part === undefined) await measureEach(options);
  else await measurePart(part, options);
});
