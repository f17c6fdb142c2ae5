import { describeMachine, disturbingLoad } from "./machine.ts";
import { type Options, parseOptions, usage } from "./options.ts";
import { formatFiles, writeDocs } from "./report/docs.ts";
import { renderPart } from "./report/markdown.ts";
import { isMet, type PartResult, saveResults } from "./results.ts";
import { PartFailed, runPart, stopParts } from "./run-part.ts";

const print = console.log;

async function runAll(options: Options): Promise<void> {
  const load = disturbingLoad();
  if (load !== undefined)
    process.stderr.write(`Something else is busy here (load ${load.toFixed(1)}): the figures will be off.\n`);
  const start = performance.now();
  const results: PartResult[] = [];
  for (const name of options.parts) {
    process.stderr.write(`${name}\n`);
    const result = await runPart(name, options);
    results.push(result);
    print(`\n## ${name}\n\n${renderPart(result)}\n`);
  }
  const minutes = (performance.now() - start) / 60_000;
  const checks = results.flatMap(({ checks }) => checks);
  print(`${checks.filter(isMet).length} of ${checks.length} targets met, in ${minutes.toFixed(1)} minutes.`);
  if (options.quick) print("A smoke run: these figures mean nothing.");
  if (!options.write) return;
  const takenOn = new Date().toISOString().slice(0, 10);
  const all = { takenOn, machine: describeMachine(), minutes, disturbedBy: load, parts: results };
  formatFiles([saveResults(all), ...writeDocs(all)]);
}

function parse(): Options | undefined {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n\n${usage}`);
    return undefined;
  }
}

const options = parse();
if (options === undefined) {
  process.exitCode = 2;
} else if (options.help) {
  print(usage);
} else {
  let stoppedBy: number | undefined;
  for (const [signal, code] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const]) {
    process.once(signal, () => {
      stoppedBy = code;
      stopParts(signal);
    });
  }
  try {
    await runAll(options);
  } catch (thrown) {
    if (!(thrown instanceof PartFailed)) throw thrown; // A part that fails says why.
    process.exitCode = stoppedBy ?? 1;
  }
}
