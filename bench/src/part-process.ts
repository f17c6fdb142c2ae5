import { stopLabs, withLab } from "./lab.ts";
import type { Options, PartName } from "./options.ts";
import { parts } from "./parts/index.ts";

/** Runs one part in a process of its own, and sends its result to the process that started it. */
const { name, options } = JSON.parse(process.argv[2] ?? "") as {
  readonly name: PartName;
  readonly options: Options;
};

// The other package logs several lines a call; writing them is not what is compared.
for (const level of ["log", "info", "warn", "error"] as const) console[level] = () => {};

let stopping = false;
for (const [signal, code] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const]) {
  // A terminal sends it to every process, and the one that started this sends it on.
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    void stopLabs().finally(() => process.exit(code));
  });
}
try {
  process.send?.(await withLab((lab) => parts[name](lab, options)));
  process.disconnect();
} catch (thrown) {
  // What fails because its server was stopped is no news.
  if (!stopping) {
    process.stderr.write(
      `${thrown instanceof Error ? (thrown.stack ?? thrown.message) : JSON.stringify(thrown)}\n`,
    );
    process.exit(1);
  }
}
