import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { Options } from "tsup";

/** Build settings shared by every package; a package adds its entries. `scripts/write-declarations.ts` writes the declarations. */
export const base = {
  format: ["esm", "cjs"],
  target: "node20",
  clean: true,
  // No module of ours does anything as it loads, so what nothing is taken of needn't be imported.
  treeshake: { moduleSideEffects: false },
  splitting: false,
  // Deno and bundlers know a module of Node's by its whole name.
  removeNodeProtocol: false,
} satisfies Options;

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/**
 * Has each of these sources loaded together with others, whatever it takes of them. esbuild makes a file of what the same
 * entries and `import()`s reach, and each file takes a program longer to load than what stands in it: so what is mostly loaded
 * together becomes one file.
 */
export const loadedWith = (together: Readonly<Record<string, readonly string[]>>): Plugin => ({
  name: "loaded-with",
  setup: ({ onLoad, initialOptions }) => {
    // That nothing is taken of them is meant so.
    initialOptions.logOverride = { ...initialOptions.logOverride, "ignored-bare-import": "silent" };
    const others = new Map(
      Object.entries(together).map(([file, with_]) => [resolve(file), with_.map((other) => resolve(other))]),
    );
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const imports = others.get(path)?.map((other) => {
        const from = relative(dirname(path), other);
        return `import ${JSON.stringify(from.startsWith(".") ? from : `./${from}`)};`;
      });
      return imports && { contents: [readFileSync(path, "utf8"), ...imports].join("\n"), loader: "ts" };
    });
  },
});

/** Not in a type, and with nothing else in the call. */
const IMPORT = /\bimport\("(\.[^"]+)"\)(?=[,)])/g;

/**
 * Puts what a source of these loads by `import()` into the file itself, where it is there at once: Node takes longer to find a
 * file than to read what stands in it.
 */
export const loadedAtOnce = (...files: readonly string[]): Plugin => ({
  name: "loaded-at-once",
  setup: ({ onLoad }) => {
    const loading = new Set(files.map((file) => resolve(file)));
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!loading.has(path)) return undefined;
      const imports: string[] = [];
      const code = readFileSync(path, "utf8").replaceAll(IMPORT, (_, from: string) => {
        const name = `part${imports.length}`;
        imports.push(`import * as ${name} from "${from}";`);
        return `Promise.resolve(${name})`;
      });
      if (imports.length === 0) throw new Error(`${path} loads nothing by import().`);
      return { contents: [code, ...imports].join("\n"), loader: "ts" };
    });
  },
});

/**
 * Has all that these sources load by `import()` lie in one file, `parts`, which the first of them loads: for Node, where one file
 * more takes longer to find than to read.
 */
export const loadedAsOne = (...files: readonly string[]): Plugin => ({
  name: "loaded-as-one",
  setup: ({ onLoad, onResolve }) => {
    const loading = new Set(files.map((file) => resolve(file)));
    const parts = [...loading].flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(IMPORT)].map(([, from = ""]) => resolve(dirname(file), from)),
    );
    onResolve({ filter: /^jaf:parts$/ }, () => ({ path: "parts", namespace: "parts" }));
    onLoad({ filter: /.*/, namespace: "parts" }, () => ({
      contents: parts
        .map((part, index) => `export * as part${index} from ${JSON.stringify(part)};`)
        .join("\n"),
      loader: "ts",
      resolveDir: resolve("src"),
    }));
    onLoad({ filter: /\.ts$/, namespace: "file" }, ({ path }) => {
      if (!loading.has(path)) return undefined;
      const contents = readFileSync(path, "utf8").replaceAll(IMPORT, (_, from: string) => {
        const index = parts.indexOf(resolve(dirname(path), from));
        return `import("jaf:parts").then(({ part${index} }) => part${index})`;
      });
      return { contents, loader: "ts" };
    });
  },
});

type BuildPlugin = NonNullable<Options["plugins"]>[number];

/**
 * Has the built files of these outputs import the one entry of `@jaf/memory` in place of the others: it has all that they take
 * of those, and is less to read, or fewer files to find.
 */
export const oneEntryOfMemory = (
  entry: string,
  { others, outputs = /./ }: { readonly others: readonly string[]; readonly outputs?: RegExp },
): BuildPlugin => ({
  name: "one-entry-of-memory",
  renderChunk: (code, { path, map = null }) => {
    if (!outputs.test(path)) return undefined;
    const specifier = new RegExp(`(["'])@jaf/memory/(?:${others.join("|")})\\1`, "g");
    return { code: code.replaceAll(specifier, `$1@jaf/memory/${entry}$1`), map };
  },
});

/**
 * What bundlers for browsers and the edge take in place of the build for Node: there bytes count, and not files, so that what is
 * loaded when it is first needed stays apart.
 */
export const web = {
  ...base,
  format: ["esm"],
  outDir: "dist/web",
  splitting: true,
} satisfies Options;
