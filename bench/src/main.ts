import { stopLabs, withLab } from "./lab.ts";
import { describeMachine, disturbingLoad } from "./machine.ts";
import { type Options, type PartName, parseOptions, usage } from "./options.ts";
import { append } from "./parts/append.ts";
import { clear } from "./parts/clear.ts";
import { clients } from "./parts/clients.ts";
import { engine } from "./parts/engine.ts";
import type { Part } from "./parts/part.ts";
import { read } from "./parts/read.ts";
import { scale } from "./parts/scale.ts";
import { formatFiles, writeDocs } from "./report/docs.ts";
import { renderPart } from "./report/markdown.ts";
import { isMet, type PartResult, saveResults } from "./results.ts";

const parts: Record<PartName, Part> = { engine, append, read, clients, scale, clear };

const print = console.log;

// The other package logs several lines a call; writing them is not what is compared.
function silence(): void {
  for (const level of ["log", "info", "warn", "error"] as const) console[level] = () => {};
}

async function runAll(options: Options): Promise<void> {
  const load = disturbingLoad();
  if (load !== undefined)
    process.stderr.write(`Something else is busy here (load ${load.toFixed(1)}): the figures will be off.\n`);
  const start = performance.now();
  const results: PartResult[] = [];
  for (const name of options.parts) {
    process.stderr.write(`${name}\n`);
    const result = await withLab((lab) => parts[name](lab, options));
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
  let stopping = false;
  for (const [signal, code] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const]) {
    process.once(signal, () => {
      stopping = true;
      void stopLabs().finally(() => process.exit(code));
    });
  }
  silence();
  try {
    await runAll(options);
  } catch (thrown) {
    // What fails because its server was stopped is no news.
    if (!stopping) {
      process.stderr.write(
        `${thrown instanceof Error ? (thrown.stack ?? thrown.message) : JSON.stringify(thrown)}\n`,
      );
      process.exitCode = 1;
    }
  }
}
