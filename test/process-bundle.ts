import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

/** Of a bundle, so that it finds and refuses the packages that its source would. */
const PLACE = "node_modules/.cache/test-processes";

const seen = Symbol("resolved already");

/** The sources of this repository are bundled; packages from elsewhere are imported from where they are. */
const othersStay: Plugin = {
  name: "others-stay",
  setup: (bundle) => {
    bundle.onResolve({ filter: /^[^./#]/ }, async ({ path, pluginData, kind, importer, resolveDir }) => {
      if (pluginData === seen || kind === "entry-point" || /^(@jaf\/|node:)/.test(path)) return undefined;
      const found = await bundle.resolve(path, { kind, importer, resolveDir, pluginData: seen });
      if (found.errors.length > 0 || found.external) return { path, external: true };
      return { path: pathToFileURL(found.path).href, external: true };
    });
  },
};

async function write(source: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@jaf/source"],
    plugins: [othersStay],
    logLevel: "error",
  });
  const folder = join(packageOf(source), PLACE);
  const file = join(folder, `${basename(source, ".ts")}.mjs`);
  mkdirSync(folder, { recursive: true });
  // Another worker may be about to start the one that is there.
  const own = `${file}.${process.pid}-${crypto.randomUUID()}`;
  writeFileSync(own, outputFiles[0]?.contents ?? "");
  renameSync(own, file);
  return file;
}

/** The folder above `test` or `src`. */
const packageOf = (source: string): string => dirname(source.replace(/\/(test|src)\/.*$/, "/package.json"));

const written = new Map<string, Promise<string>>();

/**
 * A file of this repository and all that it imports of it as one file of JavaScript, and where that is. A process that is
 * started with it takes a tenth of the time that one takes which compiles some hundred sources first.
 */
export function bundleProcess(source: URL): Promise<string> {
  const file = fileURLToPath(source);
  const bundle = written.get(file) ?? write(file);
  written.set(file, bundle);
  return bundle;
}
