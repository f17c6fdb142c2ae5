import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { TurnQueue } from "@jaf/memory";
import { bundleProcess } from "../../../../test/process-bundle.ts";

const root = new URL("../../../../", import.meta.url);

/** A recipe of `docs/queues.md`, and a program whose process works on its queue. */
export interface Recipe {
  readonly createQueue: (url: string) => Promise<TurnQueue>;
  /** The program as one file; see `runWorker` for its argument. */
  readonly worker: string;
  readonly remove: () => void;
}

/** Writes the recipe's files from the document. `name`: the function of the recipe, e.g. `createDbosQueue`. */
export async function openRecipe(file: string, name: string): Promise<Recipe> {
  const text = readFileSync(new URL("docs/queues.md", root), "utf8");
  // In this folder, because the packages and the engines can be imported from here.
  const folder = mkdtempSync(join(root.pathname, "integration/test/.program-"));
  for (const [, path = "", code = ""] of text.matchAll(/^```ts file=(\S+)\n([\s\S]*?)^```/gm))
    writeFileSync(join(folder, path), code);
  const worker = join(folder, "worker.ts");
  writeFileSync(
    worker,
    `import { runWorker } from "../support/queues/queue-worker.ts";
import { ${name} } from "./${file}";
await runWorker(${name});
`,
  );
  const { [name]: createQueue } = await import(pathToFileURL(join(folder, file)).href);
  return {
    createQueue: async (url) => createQueue(url),
    worker: await bundleProcess(pathToFileURL(worker)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
